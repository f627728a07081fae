"""The plan as a tree model. Edits are asked for by a signal and come back as a new plan; the model changes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

from PySide6.QtCore import QAbstractItemModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal

from operative_app.core.plan import MoveTask, Plan, RenameTask, Task, TaskStatus
from operative_app.gui.widgets.labels import tip
from operative_app.presentation.spending import Spent
from operative_app.presentation.words import TASK_WORDS, count, grants_words, plain

Index = QModelIndex | QPersistentModelIndex
_NONE: Final = QModelIndex()
MIME: Final = "application/x-operative-task"
TASK_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 1
SECOND_LINE_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 2
TAG_ROLE: Final = int(Qt.ItemDataRole.UserRole) + 3
_EDITABLE: Final = frozenset({TaskStatus.PENDING, TaskStatus.SKIPPED})


@dataclass(slots=True)
class _Node:
    task: Task
    parent: int
    row: int
    children: list[int] = field(default_factory=list)


class PlanTree(QAbstractItemModel):
    """One column; a node's id is its place in the walk through the plan.

    Signals:
        edit_requested(PlanEdit): The person renamed or moved a task.
    """

    edit_requested = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._plan = Plan(goal="")
        self._nodes: list[_Node] = []
        self._top: list[int] = []
        self._steps: dict[str, int] = {}
        self._asking: frozenset[str] = frozenset()
        self._spent: Mapping[str, Spent] = {}
        self.is_editable = False

    def show(
        self,
        plan: Plan | None,
        steps: dict[str, int],
        asking: frozenset[str],
        spent: Mapping[str, Spent] = MappingProxyType({}),
    ) -> bool:
        """Show a plan; returns whether the tree was built anew (its shape is another).

        Args:
            plan: None for none.
            steps: How many steps each task took so far.
            asking: The tasks something is asked for.
            spent: What a model took for each task so far.
        """
        plan = plan or Plan(goal="")
        old_steps, old_asking = self._steps, self._asking
        self._steps, self._asking, self._spent = steps, asking, spent
        if _shape(plan.tasks) == _shape(self._plan.tasks):
            self._plan = plan
            changed: list[int] = []
            for place, (node, task) in enumerate(zip(self._nodes, plan.walk(), strict=True)):
                is_same = steps.get(task.id) == old_steps.get(task.id) and (task.id in asking) == (
                    task.id in old_asking
                )
                if not is_same or node.task != task:
                    changed.append(place)
                node.task = task
            for place in changed:  # one by one: a view looks at a row's height only then
                index = self._index(place)
                self.dataChanged.emit(index, index)
            return False
        self.beginResetModel()
        self._plan = plan
        self._nodes, self._top = [], []
        self._build(plan.tasks, -1)
        self.endResetModel()
        return True

    def _build(self, tasks: Sequence[Task], parent: int) -> None:
        for row, task in enumerate(tasks):
            place = len(self._nodes)
            self._nodes.append(_Node(task, parent, row))
            (self._nodes[parent].children if parent >= 0 else self._top).append(place)
            self._build(task.subtasks, place)

    def _index(self, place: int) -> QModelIndex:
        return self.createIndex(self._nodes[place].row, 0, place)

    def _node(self, index: Index) -> _Node | None:
        place = index.internalId()
        return self._nodes[place] if index.isValid() and place < len(self._nodes) else None

    def task(self, index: Index) -> Task | None:
        node = self._node(index)
        return node.task if node else None

    def index_of(self, task_id: str) -> QModelIndex:
        """The index of a task, invalid when it is not in the plan."""
        place = next((place for place, node in enumerate(self._nodes) if node.task.id == task_id), -1)
        return self._index(place) if place >= 0 else QModelIndex()

    def place(self, task_id: str) -> tuple[str, int, int]:
        """A task's parent id, its row, and how many siblings there are, itself included."""
        node = next(node for node in self._nodes if node.task.id == task_id)
        if node.parent < 0:
            return "", node.row, len(self._top)
        return self._nodes[node.parent].task.id, node.row, len(self._nodes[node.parent].children)

    def index(self, row: int, column: int, parent: Index = _NONE) -> QModelIndex:
        node = self._node(parent)
        children = node.children if node else self._top
        if column != 0 or not 0 <= row < len(children) or (parent.isValid() and node is None):
            return QModelIndex()
        return self._index(children[row])

    def parent(self, index: Index = _NONE) -> QModelIndex:  # type: ignore[override] # QObject.parent() has the same name
        node = self._node(index)
        return self._index(node.parent) if node and node.parent >= 0 else QModelIndex()

    def rowCount(self, parent: Index = _NONE) -> int:
        node = self._node(parent)
        return len(node.children if node else self._top)

    def columnCount(self, parent: Index = _NONE) -> int:
        return 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.ItemIsDropEnabled if self.is_editable else Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        task = self.task(index)
        if self.is_editable and task is not None:
            if task.status in _EDITABLE:
                flags |= Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDragEnabled
            if task.is_open:
                flags |= Qt.ItemFlag.ItemIsDropEnabled
        return flags

    def data(self, index: Index, role: int = int(Qt.ItemDataRole.DisplayRole)) -> Any:
        task = self.task(index)
        if task is None:
            return None
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return plain(task.goal)
            case Qt.ItemDataRole.EditRole:
                return task.goal
            case Qt.ItemDataRole.ToolTipRole:
                parts = [task.goal, f"{TASK_WORDS[task.status]}.", self.second_line(task), *self._further(task)]
                return tip("\n".join(part for part in parts if part))
            case Qt.ItemDataRole.AccessibleTextRole:
                parts = [
                    task.goal,
                    TASK_WORDS[task.status],
                    self.second_line(task),
                    *self.tags(task),
                    *self._further(task),
                ]
                return ", ".join(plain(part) for part in parts if part)
            case _:
                if role == TASK_ROLE:
                    return task
                if role == SECOND_LINE_ROLE:
                    return self.second_line(task)
                return self.tags(task) if role == TAG_ROLE else None

    def setData(self, index: Index, value: Any, role: int = int(Qt.ItemDataRole.EditRole)) -> bool:
        """Ask for a new name; what the tree shows changes when the plan comes back."""
        task = self.task(index)
        if task is None or role != Qt.ItemDataRole.EditRole or not self.flags(index) & Qt.ItemFlag.ItemIsEditable:
            return False
        goal = " ".join(str(value).split())
        if goal != task.goal:
            self.edit_requested.emit(RenameTask(task_id=task.id, goal=goal))
        return True

    def second_line(self, task: Task) -> str:
        """The small words below a task: what came out of it, how it is known to be done, other ways."""
        parts: list[str] = []
        if task.result:
            parts.append(plain(task.result))
        elif task.status is TaskStatus.WAITING:
            parts.append(self.tr("waiting for you"))
        elif task.status is TaskStatus.SKIPPED:
            parts.append(self.tr("skipped"))
        elif task.status is TaskStatus.UNVERIFIED:
            parts.append(self.tr("not verified"))
        if task.checkpoint is not None:
            parts.append(self.tr("checkpoint"))
        if steps := self._steps.get(task.id, 0):
            parts.append(count(steps, "step"))
        if task.is_open and task.alternatives:
            parts.append(self.tr("else: ") + " · ".join(plain(words) for words in task.alternatives))
        if not parts and task.is_open and task.done_when:
            parts.append(self.tr("done when ") + plain(task.done_when))
        return " · ".join(parts)

    def _further(self, task: Task) -> list[str]:
        """What is told of a task on request: what it may touch, what a model took for it."""
        spent = self._spent.get(task.id)
        model = self.tr("Model: {spent}").format(spent=spent.words) if spent is not None and spent.words else ""
        return [grants_words(task.grants), model]

    def tags(self, task: Task) -> list[str]:
        """The chips at the right side of a task."""
        tags: list[str] = []
        if task.id in self._asking:
            tags.append(self.tr("asks"))
        if task.by_human:
            tags.append(self.tr("yours"))
        if task.edited_by_user and not task.by_human and task.is_open:
            tags.append(self.tr("edited"))
        return tags

    # Drag and drop

    def supportedDropActions(self) -> Qt.DropAction:
        return Qt.DropAction.MoveAction

    def mimeTypes(self) -> list[str]:
        return [MIME]

    def mimeData(self, indexes: Sequence[QModelIndex]) -> QMimeData:
        mime = QMimeData()
        task = self.task(indexes[0]) if indexes else None
        if task is not None:
            mime.setData(MIME, task.id.encode())
        return mime

    def dropMimeData(self, data: QMimeData, action: Qt.DropAction, row: int, _column: int, parent: Index) -> bool:
        """Ask for the move. Dropped on a task it goes under it, between two it goes there."""
        if action is not Qt.DropAction.MoveAction or not data.hasFormat(MIME) or not self.is_editable:
            return False
        task_id = bytes(data.data(MIME).data()).decode()
        if not self.index_of(task_id).isValid():
            return False
        target = self.task(parent)
        parent_id = target.id if target else ""
        old_parent_id, old_row, _siblings = self.place(task_id)
        index = row
        if row >= 0 and old_parent_id == parent_id and old_row < row:
            index -= 1
        if (parent_id, index) != (old_parent_id, old_row):
            self.edit_requested.emit(MoveTask(task_id=task_id, parent_id=parent_id, index=index))
        return True


def _shape(tasks: Sequence[Task]) -> tuple[Any, ...]:
    return tuple((task.id, _shape(task.subtasks)) for task in tasks)
