"""The JSON schema of a reply, in the form that servers which constrain their output take."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal, NamedTuple, TypeVar

from pydantic import BaseModel, Field, create_model

S = TypeVar("S", bound=BaseModel)

_MEANINGLESS = ("default", "title", "discriminator")


class ReplySchema(NamedTuple):
    """A schema under a name; ``strict`` where every object in it lists all its properties."""

    name: str
    schema: dict[str, Any]
    strict: bool


def reply_schema(model: type[BaseModel]) -> ReplySchema:
    """The schema of ``model`` with every property required and no others allowed.

    Strict output knows no optional property: what has a default is asked for, too.
    """
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", model.__name__)[:64] or "reply"
    closed = _closed(model.model_json_schema())
    return ReplySchema(name, closed, _is_strict(closed))


def _closed(node: Any) -> Any:
    if isinstance(node, list):
        return [_closed(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"], **({"$defs": _members(node["$defs"])} if "$defs" in node else {})}
    kept = {key: value for key, value in node.items() if key not in _MEANINGLESS}
    if "oneOf" in kept:
        kept["anyOf"] = kept.pop("oneOf")
    closed = {k: _members(v) if k in ("properties", "$defs") else _closed(v) for k, v in kept.items()}
    if "properties" in closed:
        closed["required"] = list(closed["properties"])
        closed.setdefault("additionalProperties", False)
    return closed


def _members(named: dict[str, Any]) -> dict[str, Any]:
    """Schemas under names, which may be called like keywords."""
    return {name: _closed(schema) for name, schema in named.items()}


def _is_strict(schema: dict[str, Any]) -> bool:
    return schema.get("type") == "object" and _all_closed(schema)


def _all_closed(node: Any) -> bool:
    if isinstance(node, list):
        return all(map(_all_closed, node))
    if not isinstance(node, dict):
        return True
    if node.get("type") == "object" and node.get("additionalProperties") is not False:
        return False
    parts = [list(v.values()) if k in ("properties", "$defs") else v for k, v in node.items()]
    return all(map(_all_closed, parts))


def one_of(values: Sequence[str]) -> Any:
    """The type of exactly these texts, so that a server which constrains its output cannot say another."""
    literal: Any = Literal
    return literal[tuple(dict.fromkeys(values))]


def at_most(count: int, item: Any) -> Any:
    """The type of a list of ``item``; a server which constrains its output ends it after so many.

    A weak model would go on for ever. A longer list from another server is read like any.
    """
    many: Any = list[item]
    return Annotated[many, Field(json_schema_extra={"maxItems": count})]


def narrowed(model: type[S], **types: Any) -> type[S]:
    """``model`` with narrower types for some of its fields; its name, their defaults and all other fields stay."""
    fields: dict[str, Any] = {}
    for name, type_ in types.items():
        field = model.model_fields[name]
        fields[name] = (type_, ... if field.is_required() else field.default)
    return create_model(model.__name__, __base__=model, __module__=model.__module__, **fields)
