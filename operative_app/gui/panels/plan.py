"""The plan: a tree that is edited on screen, before and while it is carried out."""

from __future__ import annotations

from collections import Counter

from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QMenu,
    QStackedWidget,
    QTreeView,
    QVBoxLayout,
    QWidget,
)

from operative_app.core.plan import (
    AddTask,
    DeleteTask,
    MoveTask,
    PlanEdit,
    SetBreakpoint,
    SkipTask,
    Task,
    TaskStatus,
    new_task_id,
)
from operative_app.core.requests import Approve, PlanReviewRequest, Reject
from operative_app.gui.models.plan_tree import PlanTree
from operative_app.gui.panels.header import PanelHeader
from operative_app.gui.panels.plan_delegate import PlanDelegate
from operative_app.gui.theme import Theme
from operative_app.gui.widgets.buttons import icon_button, text_button
from operative_app.gui.widgets.labels import breakable, text_label
from operative_app.presentation.view_state import ViewState

_UNSTARTED = frozenset({TaskStatus.PENDING, TaskStatus.SKIPPED})


class PlanPanel(QWidget):
    """Shows the plan and asks for edits.

    Signals:
        edit_requested(PlanEdit), undo_requested(), redo_requested(), checkpoint_requested()
        answered(str, Answer): The plan review with this id was answered.

    Attributes:
        waits_for_edit: An edit was asked for and neither the changed plan nor a refusal has come yet.
    """

    edit_requested = Signal(object)
    undo_requested = Signal()
    redo_requested = Signal()
    checkpoint_requested = Signal()
    answered = Signal(str, object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("planPanel")
        self._review_id = ""
        self._rename_when_it_comes = ""
        self._is_editable = False
        self.waits_for_edit = False
        self.model = PlanTree(self)
        self.model.edit_requested.connect(self._ask)
        self.tree = self._make_tree(theme)
        self.header = PanelHeader(self.tr("Plan"), "planHeader")
        self._actions = self._make_actions()
        self._undo = icon_button(theme, "undo", "planUndoButton", self.tr("Undo the last change of the plan (Ctrl+Z)"))
        self._redo = icon_button(theme, "redo", "planRedoButton", self.tr("Redo the change (Ctrl+Shift+Z)"))
        self._add = icon_button(theme, "add", "planAddButton", self.tr("Add a task after the selected one (Ins)"))
        self._undo.clicked.connect(self.undo_requested)
        self._redo.clicked.connect(self.redo_requested)
        self._add.clicked.connect(self._actions["planAddAfterAction"].trigger)
        for button in (self._undo, self._redo, self._add):
            self.header.row.addWidget(button)
        self.notice = text_label("", look="error", name="planNotice")
        self.notice.setContentsMargins(12, 4, 12, 4)
        self.notice.hide()
        self._empty = text_label(
            self.tr("No plan yet. It appears here once a goal runs, and you can change it at any time."),
            look="empty",
            name="planEmpty",
        )
        self._empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._empty.setContentsMargins(12, 8, 12, 8)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._empty)
        self._stack.addWidget(self.tree)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.header)
        column.addWidget(self._make_review())
        column.addWidget(self.notice)
        column.addWidget(self._stack, 1)
        self.setMinimumWidth(216)
        self._update_actions()

    def _make_tree(self, theme: Theme) -> QTreeView:
        tree = QTreeView()
        tree.setObjectName("planTree")
        tree.setAccessibleName(self.tr("Plan"))
        tree.setModel(self.model)
        tree.setHeaderHidden(True)
        tree.setIndentation(20)
        tree.setRootIsDecorated(False)
        tree.setMouseTracking(True)
        tree.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        tree.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        tree.setItemDelegate(PlanDelegate(theme, self.tr("asks"), tree))
        tree.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        tree.setDefaultDropAction(Qt.DropAction.MoveAction)
        tree.setDropIndicatorShown(True)
        tree.setEditTriggers(QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed)
        tree.setExpandsOnDoubleClick(False)
        tree.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        tree.customContextMenuRequested.connect(self._on_menu_requested)
        tree.selectionModel().currentChanged.connect(self._update_actions)
        theme.changed.connect(tree.viewport().update)
        return tree

    def _make_review(self) -> QFrame:
        self.review = QFrame()
        self.review.setObjectName("planReviewBar")
        self.review.setProperty("look", "review")
        accept = text_button(self.tr("Accept plan"), "planAcceptButton", look="primary", small=True)
        reject = text_button(self.tr("Reject"), "planRejectButton", small=True)
        accept.clicked.connect(lambda: self._answer(Approve()))
        reject.clicked.connect(lambda: self._answer(Reject()))
        column = QVBoxLayout(self.review)
        column.setContentsMargins(12, 8, 12, 8)
        column.setSpacing(6)
        column.addWidget(text_label(self.tr("Change what you like. Nothing is done before you accept.")))
        buttons = QHBoxLayout()
        buttons.addWidget(accept)
        buttons.addWidget(reject)
        buttons.addStretch(1)
        column.addLayout(buttons)
        self.review.hide()
        return self.review

    def _make_actions(self) -> dict[str, QAction]:
        made: dict[str, QAction] = {}

        def action(name: str, text: str, keys: str, call: object) -> None:
            one = QAction(text, self)
            one.setObjectName(name)
            if keys:
                one.setShortcut(QKeySequence(keys))
                one.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            one.triggered.connect(call)
            self.addAction(one)
            made[name] = one

        action("planRenameAction", self.tr("Rename"), "", self._rename)
        action("planAddAfterAction", self.tr("Add a task after it"), "Ins", self._add_after)
        action("planAddUnderAction", self.tr("Add a task under it"), "Shift+Ins", self._add_under)
        action("planAddHumanAction", self.tr("Add a task of yours after it"), "", self._add_human)
        action("planDeleteAction", self.tr("Delete"), "Del", self._delete)
        action("planSkipAction", self.tr("Skip"), "", self._skip)
        action("planUpAction", self.tr("Move up"), "Alt+Up", lambda: self._move(-1))
        action("planDownAction", self.tr("Move down"), "Alt+Down", lambda: self._move(1))
        action("planBreakpointAction", self.tr("Pause before it"), "F9", self._toggle_breakpoint)
        action("planCheckpointAction", self.tr("Save a checkpoint now"), "", self.checkpoint_requested.emit)
        action("planUndoAction", self.tr("Undo"), "Ctrl+Z", self.undo_requested.emit)
        action("planRedoAction", self.tr("Redo"), "Ctrl+Shift+Z", self.redo_requested.emit)
        made["planBreakpointAction"].setCheckable(True)
        return made

    # Showing

    def show_state(self, state: ViewState, *, is_editable: bool, is_live: bool) -> None:
        """Show the plan of this state; a past one is reviewed no more."""
        self._is_editable = is_editable
        self.model.is_editable = is_editable
        steps = Counter(row.task_id for row in state.rows if row.status is not None)
        current = self.model.task(self.tree.currentIndex())
        if self.model.show(state.plan, dict(steps), state.asking_task_ids, state.spent_on_tasks):
            self.tree.expandAll()
            if current is not None and (index := self.model.index_of(current.id)).isValid():
                self._select(index)
        self._rename_new_task()
        self._stack.setCurrentIndex(1 if state.plan is not None and state.plan.tasks else 0)
        done, total = state.progress
        self.header.set_chip(
            self.tr("{done} of {total}").format(done=done, total=total) if total else "",
            "ok" if total and done == total else "accent",
        )
        review = next((request for request in state.requests if isinstance(request, PlanReviewRequest)), None)
        self._review_id = review.id if review and is_live else ""
        self.review.setVisible(bool(self._review_id))
        self._undo.setEnabled(is_editable and state.can_undo)
        self._redo.setEnabled(is_editable and state.can_redo)
        self._actions["planUndoAction"].setEnabled(is_editable and state.can_undo)
        self._actions["planRedoAction"].setEnabled(is_editable and state.can_redo)
        self._update_actions()

    def show_notice(self, text: str) -> None:
        """Say below the title why an edit was refused; "" takes it away."""
        self.notice.setText(breakable(text))
        self.notice.setVisible(bool(text))

    def _select(self, index: QModelIndex) -> None:
        self.tree.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def _rename_new_task(self) -> None:
        index = self.model.index_of(self._rename_when_it_comes) if self._rename_when_it_comes else QModelIndex()
        if index.isValid():
            self._rename_when_it_comes = ""
            self._select(index)
            self.tree.edit(index)

    def _update_actions(self) -> None:
        task = self._current()
        can = self._is_editable
        unstarted = can and task is not None and task.status in _UNSTARTED
        for name in ("planRenameAction", "planDeleteAction", "planUpAction", "planDownAction"):
            self._actions[name].setEnabled(unstarted)
        self._actions["planAddAfterAction"].setEnabled(can)
        self._actions["planAddHumanAction"].setEnabled(can)
        self._actions["planAddUnderAction"].setEnabled(can and task is not None and task.is_open)
        skipped = task is not None and task.status is TaskStatus.SKIPPED
        self._actions["planSkipAction"].setText(self.tr("Take back into the plan") if skipped else self.tr("Skip"))
        self._actions["planSkipAction"].setEnabled(can and task is not None and (task.is_open or skipped))
        self._actions["planBreakpointAction"].setEnabled(can and task is not None and task.is_open)
        self._actions["planBreakpointAction"].setChecked(task is not None and task.breakpoint)
        self._actions["planCheckpointAction"].setEnabled(can)
        self._add.setEnabled(can)

    def _current(self) -> Task | None:
        return self.model.task(self.tree.currentIndex())

    def _on_menu_requested(self, place: QPoint) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for name, action in self._actions.items():
            if name in {"planDeleteAction", "planUpAction", "planUndoAction"}:
                menu.addSeparator()
            menu.addAction(action)
        menu.popup(self.tree.viewport().mapToGlobal(place))

    # Asking for edits

    def _ask(self, edit: PlanEdit) -> None:
        self.show_notice("")
        self.waits_for_edit = True
        self.edit_requested.emit(edit)

    def _rename(self) -> None:
        if self._current() is not None:
            self.tree.edit(self.tree.currentIndex())

    def _add_after(self) -> None:
        self._add_task(by_human=False)

    def _add_human(self) -> None:
        self._add_task(by_human=True)

    def _add_task(self, *, by_human: bool) -> None:
        task = self._current()
        parent_id, index = "", -1
        if task is not None:
            parent_id, row, _siblings = self.model.place(task.id)
            index = row + 1
        goal = self.tr("You: what you do yourself") if by_human else self.tr("New task")
        self._add_new(AddTask(goal=goal, parent_id=parent_id, index=index, task_id=new_task_id(), by_human=by_human))

    def _add_under(self) -> None:
        task = self._current()
        if task is not None:
            self._add_new(AddTask(goal=self.tr("New task"), parent_id=task.id, task_id=new_task_id()))

    def _add_new(self, edit: AddTask) -> None:
        self._rename_when_it_comes = edit.task_id
        self._ask(edit)

    def _delete(self) -> None:
        if (task := self._current()) is not None:
            self._ask(DeleteTask(task_id=task.id))

    def _skip(self) -> None:
        if (task := self._current()) is not None:
            self._ask(SkipTask(task_id=task.id, skip=task.status is not TaskStatus.SKIPPED))

    def _move(self, by: int) -> None:
        task = self._current()
        if task is None:
            return
        parent_id, row, siblings = self.model.place(task.id)
        if 0 <= row + by < siblings:
            self._ask(MoveTask(task_id=task.id, parent_id=parent_id, index=row + by))

    def _toggle_breakpoint(self) -> None:
        if (task := self._current()) is not None:
            self._ask(SetBreakpoint(task_id=task.id, on=not task.breakpoint))

    def _answer(self, answer: Approve | Reject) -> None:
        if self._review_id:
            review_id, self._review_id = self._review_id, ""
            self.review.hide()
            self.answered.emit(review_id, answer)
