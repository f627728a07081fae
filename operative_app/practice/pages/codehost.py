"""The code host: a sign-in, and repositories that are created behind it.

No password is kept: any that is not empty lets the user "demo" in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from http import HTTPStatus
from typing import ClassVar
from urllib.parse import quote, urlencode

from operative_app.practice.exchange import PageError, Request, Response, Route, json_reply, redirect
from operative_app.practice.room import MAX_RECORDS, Room
from operative_app.practice.templates import Templates

USER = "demo"
OWNERS = ("demo", "demo-team")
VISIBILITIES = {
    "public": "Anyone can see this repository. You choose who can commit.",
    "private": "You choose who can see and commit to this repository.",
}
GITIGNORES = ("None", "C++", "Go", "Java", "Node", "Python", "Rust")
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")


@dataclass(slots=True)
class Account:
    """Who one visitor is signed in as; "" when signed out."""

    user: str = ""


@dataclass(frozen=True, slots=True)
class Repository:
    """A repository; its full name is unique whatever the case."""

    owner: str
    name: str
    description: str
    visibility: str
    has_readme: bool
    gitignore: str

    @property
    def path(self) -> str:
        """Its page."""
        return f"/codehost/{quote(self.owner)}/{quote(self.name)}"

    @property
    def files(self) -> list[str]:
        """Names of the files it starts with."""
        return [
            *([".gitignore"] if self.gitignore != GITIGNORES[0] else []),
            *(["README.md"] if self.has_readme else []),
        ]


_FIRST_REPOSITORIES = (
    Repository("demo", "hello-world", "My first repository", "public", has_readme=True, gitignore="None"),
    Repository("demo", "recipes", "What we cook on Sundays", "private", has_readme=True, gitignore="None"),
    Repository("demo-team", "handbook", "How we work", "public", has_readme=True, gitignore="Node"),
)


class CodehostRoom(Room[Account]):
    """Keeps who is signed in, counts of sign-ins, and all repositories."""

    name: ClassVar[str] = "codehost"

    def __init__(self, templates: Templates) -> None:
        """Open with a few repositories."""
        super().__init__(templates)
        self._repositories = {_key(one.owner, one.name): one for one in _FIRST_REPOSITORIES}
        self._sign_ins = 0
        self._failed_sign_ins = 0

    def routes(self) -> tuple[Route, ...]:
        """Name the paths."""
        return (
            Route("GET", "/codehost", self._home),
            Route("GET", "/codehost/sign-in", self._sign_in_page),
            Route("POST", "/codehost/sign-in", self._sign_in),
            Route("POST", "/codehost/sign-out", self._sign_out),
            Route("GET", "/codehost/new", self._new_page),
            Route("POST", "/codehost/new", self._create),
            Route("GET", "/codehost/api/name", self._check_name),
            Route("GET", "/codehost/<owner>/<name>", self._repository),
        )

    def snapshot(self) -> dict[str, object]:
        """Repositories, oldest first, counts of sign-ins, and who is signed in by session number."""
        return {
            "repositories": [asdict(one) for one in self._repositories.values()],
            "sign_ins": self._sign_ins,
            "failed_sign_ins": self._failed_sign_ins,
            "signed_in": {str(session): account.user for session, account in self._visits.items() if account.user},
        }

    def reset(self) -> None:
        """Sign everybody out and go back to the first repositories."""
        super().reset()
        self._repositories = {_key(one.owner, one.name): one for one in _FIRST_REPOSITORIES}
        self._sign_ins = self._failed_sign_ins = 0

    def _new_visit(self) -> Account:
        return Account()

    def _home(self, request: Request) -> Response:
        account = self._visit(request)
        if not account.user:
            return self._page("codehost/landing.html", account=account)
        newest_first = list(reversed(self._repositories.values()))
        return self._page("codehost/home.html", account=account, repositories=newest_first)

    def _sign_in_page(self, request: Request) -> Response:
        account = self._visit(request)
        onward = _local_path(request.query.text("next"))
        if account.user:
            return redirect(onward)
        return self._page("codehost/sign_in.html", account=account, onward=onward, error="", user="")

    def _sign_in(self, request: Request) -> Response:
        account = self._visit(request)
        onward = _local_path(request.form.text("next"))
        user = request.form.text("username")
        has_password = request.form.is_ticked("password") and bool(request.form.text("password"))
        if user.casefold() == USER and has_password:
            account.user = USER
            self._sign_ins += 1
            return redirect(onward)
        self._failed_sign_ins += 1
        error = "Incorrect username or password."
        return self._page(
            "codehost/sign_in.html", HTTPStatus.UNAUTHORIZED, account=account, onward=onward, error=error, user=user
        )

    def _sign_out(self, request: Request) -> Response:
        self._visit(request).user = ""
        return redirect("/codehost")

    def _new_page(self, request: Request) -> Response:
        account = self._visit(request)
        return self._form_page(account, {}, "") if account.user else _to_sign_in("/codehost/new")

    def _create(self, request: Request) -> Response:
        account, form = self._visit(request), request.form
        if not account.user:
            return _to_sign_in("/codehost/new")
        values = {
            "owner": form.choice("owner", OWNERS, OWNERS[0]),
            "name": form.text("name"),
            "description": form.text("description"),
            "visibility": form.choice("visibility", VISIBILITIES, "public"),
            "gitignore": form.choice("gitignore", GITIGNORES, GITIGNORES[0]),
        }
        has_readme = form.is_ticked("readme")
        problem = self._problem_with(values["owner"], values["name"])
        if problem:
            return self._form_page(
                account, values, problem, has_readme=has_readme, status=HTTPStatus.UNPROCESSABLE_ENTITY
            )
        repository = Repository(**values, has_readme=has_readme)
        self._repositories[_key(repository.owner, repository.name)] = repository
        return redirect(repository.path)

    def _form_page(
        self,
        account: Account,
        values: Mapping[str, str],
        error: str,
        *,
        has_readme: bool = False,
        status: HTTPStatus = HTTPStatus.OK,
    ) -> Response:
        return self._page(
            "codehost/new.html",
            status,
            account=account,
            values=values,
            error=error,
            has_readme=has_readme,
            owners=OWNERS,
            visibilities=VISIBILITIES,
            gitignores=GITIGNORES,
        )

    def _check_name(self, request: Request) -> Response:
        if not self._visit(request).user:
            raise PageError(HTTPStatus.UNAUTHORIZED, "Please sign in.")
        name = request.query.text("name")
        problem = self._problem_with(request.query.choice("owner", OWNERS, OWNERS[0]), name)
        return json_reply({"is_valid": not problem, "message": problem or f"{name} is available."})

    def _problem_with(self, owner: str, name: str) -> str:
        """Say why a name cannot be used; "" when it can."""
        if not name:
            return "Please enter a name."
        if _NAME.fullmatch(name) is None:
            return (
                "Use up to 64 letters, digits, dots, hyphens and underscores; begin and end with a letter or a digit."
            )
        if _key(owner, name) in self._repositories:
            return f"The repository {name} already exists on this account."
        if len(self._repositories) >= MAX_RECORDS:
            return "This account has no room for another repository."
        return ""

    def _repository(self, request: Request) -> Response:
        account = self._visit(request)
        repository = self._repositories.get(_key(request.args["owner"], request.args["name"]))
        if repository is None or (repository.visibility == "private" and not account.user):
            raise PageError(HTTPStatus.NOT_FOUND, "There is no such repository, or you may not see it.")
        return self._page("codehost/repository.html", account=account, repository=repository)


def _key(owner: str, name: str) -> str:
    return f"{owner}/{name}".casefold()


def _to_sign_in(onward: str) -> Response:
    return redirect(f"/codehost/sign-in?{urlencode({'next': onward})}")


def _local_path(given: str) -> str:
    """Allow only the pages of this room as the place to go on to after the sign-in."""
    return given if given in {"/codehost", "/codehost/new"} else "/codehost"
