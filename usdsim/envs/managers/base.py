"""Manager and term base classes: how terms are configured, checked and looked up."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import MISSING
from functools import cached_property
from typing import Any, Generic, TypeVar

from usdsim.core.configuration import Configuration, named, plain
from usdsim.core.declared import declared_attributes, missing_values
from usdsim.core.errors import InvalidValueError, UnknownNameError
from usdsim.envs.streams import Streams

from .scene_entity import SceneEntityCfg
from .term_cfg import ManagerTermBaseCfg

__all__ = ["ConfiguredTerms", "ManagerBase", "ManagerTermBase", "terms_of"]

T = TypeVar("T")


class ManagerTermBase:
    """Base of terms that keep something from one call to the next.

    Args:
        cfg: the configuration of the term.
        env: the environment.

    Attributes:
        cfg: the configuration.
    """

    def __init__(self, cfg: Any, env: Any):
        self.cfg = cfg
        self._env = env

    @property
    def __name__(self) -> str:
        """Name of the class, as functions have one."""
        return type(self).__qualname__

    @property
    def num_envs(self) -> int:
        """Number of environments."""
        return int(self._env.num_envs)

    @property
    def device(self) -> str:
        """Device of the tensors."""
        return str(self._env.device)

    def reset(self, env_ids: Any = None) -> dict[str, Any] | None:
        """Forget what belongs to episodes that are over.

        Args:
            env_ids: indices of environments; None: all.

        Returns:
            What is to be logged, by name, or None.
        """
        return None

    def serialize(self) -> dict[str, Any]:
        """Description in plain values, here the configuration under ``cfg``."""
        return {"cfg": plain(self.cfg)}


class ManagerBase:
    """Base of managers.

    Args:
        cfg: object or mapping whose entries are terms; entries that are None are left out. The
            terms are copied, see `copies_terms`.
        env: the environment.

    Attributes:
        cfg: the configuration.

    Raises:
        InvalidValueError: an entry is no term of this manager, or its function does not take the
            parameters.
        UnknownNameError: a parameter names an entity, joint or body that is not there.
    """

    kind: str = "term"
    """Kind of term, in messages."""
    term_type: type[Any] | tuple[type[Any], ...] = ManagerTermBaseCfg
    """Class of the configurations of terms."""
    copies_terms: bool = True
    """Whether `cfg` stays as it was given and terms are copies of those in it. Otherwise `cfg` is
    a copy, and its terms are those of the manager, so that changes of them act."""

    def __init__(self, cfg: Any, env: Any):
        self.cfg = cfg if self.copies_terms else copy.deepcopy(cfg)
        self._env = env
        self._terms: dict[str, Any] = {}
        if cfg is not None:
            self._prepare_terms()

    def __str__(self) -> str:
        return f"{type(self).__name__}: {', '.join(map(str, self._terms)) or 'no terms'}"

    @property
    def num_envs(self) -> int:
        """Number of environments."""
        return int(self._env.num_envs)

    @property
    def device(self) -> str:
        """Device of the tensors."""
        return str(self._env.device)

    @cached_property
    def streams(self) -> Streams:
        """Random numbers of the environment, or own ones where it has none."""
        known = getattr(self._env, "streams", None)
        return known if known is not None else Streams(self.num_envs, self.device, 0)

    @property
    def active_terms(self) -> Any:
        """Names of the terms."""
        return list(self._terms)

    def reset(self, env_ids: Any = None) -> dict[str, Any]:
        """Forget what belongs to episodes that are over.

        Args:
            env_ids: indices of environments; None: all.

        Returns:
            What is to be logged, by name.
        """
        return {}

    def find_terms(self, name_keys: str | Sequence[str]) -> list[str]:
        """Names of the terms that match expressions in full.

        Raises:
            UnknownNameError: an expression matches none.
        """
        keys = [name_keys] if isinstance(name_keys, str) else list(name_keys)
        for key in keys:
            if not any(re.fullmatch(key, name) for name in self._terms):
                raise UnknownNameError(self.kind, key, self._terms, type(self).__name__)
        return [n for n in self._terms if any(re.fullmatch(key, n) for key in keys)]

    def _known(self, name: str) -> Any:
        if name not in self._terms:
            raise UnknownNameError(self.kind, name, self._terms, type(self).__name__)
        return self._terms[name]

    def keep(self, cfg: Any) -> None:
        """Let `cfg` be a configuration that has the terms, and others of which there is no use."""
        self.cfg = cfg
        if not self.copies_terms and cfg is not None:
            own: Any = copy.deepcopy(cfg)
            values = own if isinstance(own, dict) else vars(own)
            values.update(self._terms)
            self.cfg = own

    # -- inside --------------------------------------------------------------------------------

    def _reset_terms(self, env_ids: Any) -> None:
        """Reset terms that keep state; see `ManagerTermBase.reset`."""
        for term in self._terms.values():
            if hasattr(term.func, "reset"):
                term.func.reset(env_ids=env_ids)

    def _prepare_terms(self) -> None:
        """Make the terms of the configuration; derived managers may make theirs otherwise."""
        for name, term in terms_of(self.cfg).items():
            self._check_term(self.kind, name, term, self.term_type)
            self._terms[name] = self._prepared(
                name, copy.deepcopy(term) if self.copies_terms else term
            )

    def _prepared(self, name: str, term: Any) -> Any:
        """Form in which the manager keeps a term's configuration."""
        return self._resolved(name, term)

    def _check_term(self, kind: str, name: str, term: Any, expected: Any) -> None:
        if not isinstance(term, expected):
            allowed = expected if isinstance(expected, tuple) else (expected,)
            raise InvalidValueError(
                f"{kind} {name!r}", term, f"a {' or '.join(c.__name__ for c in allowed)}, or None"
            )
        for missing in missing_values(vars(term)):
            raise InvalidValueError(f"{kind} {name!r}.{missing}", MISSING, "a value", "Set it.")

    def _resolved(
        self, name: str, term: ManagerTermBaseCfg, before: int = 1, complete: bool = True
    ) -> Any:
        """Look up the entities of a term, and check that its function takes the parameters.

        Args:
            name: of the term.
            term: its configuration, which is changed.
            complete: whether it must have all parameters that its function takes.
            before: number of arguments the function is called with before the parameters.
        """
        title = f"{self.kind} {name!r}"
        if isinstance(term.func, str):
            term.func = named(term.func)
        if not callable(term.func):
            raise InvalidValueError(f"{title}.func", term.func, "a function or a class")
        for key, value in term.params.items():
            self._resolve_entities(f"{title}, parameter {key!r}", value, before)
        function: Any = term.func
        if inspect.isclass(function):
            if not issubclass(function, ManagerTermBase):
                raise InvalidValueError(
                    f"{title}.func", function, "a function, or a class derived from ManagerTermBase"
                )
            # A class may complete its parameters when it is made.
            made: Any = function
            if not any("__call__" in vars(base) for base in made.__mro__):
                raise InvalidValueError(f"{title}.func", made, "a class with a method __call__")
            function = made.__call__
            before += 1
            self._check_signature(title, function, before, term.params, complete=False)
            given = {*term.params}
            term.func = made(cfg=term, env=self._env)
            for key in term.params.keys() - given:
                self._resolve_entities(f"{title}, parameter {key!r}", term.params[key])
        # What a term gives those it calls beyond their parameters is its own affair.
        self._check_signature(title, function, before, term.params, complete)
        return term

    def _resolve_entities(self, title: str, value: Any, before: int = 1) -> None:
        if isinstance(value, ManagerTermBaseCfg):  # a term that calls others
            self._resolved(title, value, before, complete=False)
        elif isinstance(value, SceneEntityCfg):
            try:
                value.resolve(self._env.scene)
            except UnknownNameError as error:
                raise UnknownEntityError(f"{title}: {error}") from error
        elif isinstance(value, Mapping):
            for key, entry in value.items():
                self._resolve_entities(f"{title}, {key!r}", entry, before)
        elif isinstance(value, list | tuple):
            for entry in value:
                self._resolve_entities(title, entry, before)

    def _check_signature(
        self,
        title: str,
        function: Any,
        before: int,
        params: Mapping[str, Any],
        complete: bool,
    ) -> None:
        """Refuse parameters that a function does not take, or lacks if they are `complete`."""
        signature = inspect.signature(function)
        bind = signature.bind if complete else signature.bind_partial
        try:
            bound = bind(*range(before), **params)
        except TypeError as error:
            taken = [*signature.parameters][before:]
            raise InvalidValueError(
                f"parameters of {title}", sorted(params), f"{', '.join(taken) or 'none'} ({error})"
            ) from error
        for key, parameter in signature.parameters.items():
            default, what = parameter.default, f"{title}, parameter {key!r}"
            if isinstance(default, SceneEntityCfg):
                if key not in bound.arguments:
                    # Entities that are defaults of the function are the same objects in every call.
                    params[key] = copy.deepcopy(default)  # type: ignore[index]
                    self._resolve_entities(what, params[key])
                elif isinstance(bound.arguments[key], str):
                    name = bound.arguments[key]
                    raise InvalidValueError(what, name, f"an entity: SceneEntityCfg({name!r})")


class ConfiguredTerms(ManagerBase, Generic[T]):
    """Base of managers whose terms are their configurations, which may change at any time."""

    def get_term_cfg(self, term_name: str) -> T:
        """Configuration of a term; changes of it take effect in the next step.

        Raises:
            UnknownNameError: there is no such term.
        """
        found: T = self._known(term_name)
        return found

    def set_term_cfg(self, term_name: str, cfg: T) -> None:
        """Replace the configuration of a term.

        Raises:
            UnknownNameError: there is no such term.
        """
        self._known(term_name)
        self._terms[term_name] = cfg


class UnknownEntityError(UnknownNameError):
    """An unknown name, with the term that asks for it."""

    def __init__(self, message: str):
        Exception.__init__(self, message)


def terms_of(cfg: Any) -> dict[str, Any]:
    """Entries of a configuration of terms by name; None, and what begins with ``_``, are left out.

    Args:
        cfg: mapping, object with attributes, its own or those that its class declares, or None.
    """
    if cfg is None:
        return {}
    entries = cfg if isinstance(cfg, Mapping) else vars(cfg)
    if not isinstance(cfg, Mapping | Configuration) and not dataclasses.is_dataclass(cfg):
        # Configurations and data classes have copied what their classes declare.
        declared = declared_attributes(type(cfg))
        entries = {**{name: make() for name, make in declared.items()}, **entries}
    return {k: v for k, v in entries.items() if v is not None and not str(k).startswith("_")}
