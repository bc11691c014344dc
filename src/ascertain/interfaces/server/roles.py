"""The role that each operation needs: the one table of roles.

tests/integration/interfaces/server/test_users.py checks it against the routes.
"""

from dataclasses import dataclass

from starlette.routing import compile_path

from ascertain.core.service.service import Role

READ = """
GET /v1/session
PUT /v1/session/password
POST /v1/ask
POST /v1/ask/stream
GET /v1/ask/stream/{answer_id}
DELETE /v1/ask/stream/{answer_id}
POST /v1/analyze
POST /v1/analyze/stream
GET /v1/models
GET /v1/models/{model}
POST /v1/chat/completions
POST /v1/responses
POST /v1/embeddings
POST /v1/search
GET /v1/documents
GET /v1/documents/formats
GET /v1/documents/facets
GET /v1/documents/{document_id}
GET /v1/documents/{document_id}/text
GET /v1/documents/{document_id}/tree
GET /v1/documents/{document_id}/original
HEAD /v1/documents/{document_id}/original
GET /v1/documents/{document_id}/pages/{page}.png
GET /v1/documents/{document_id}/figures/{digest}
GET /v1/stats
GET /v1/jobs
GET /v1/jobs/{job_id}
GET /v1/sources
GET /v1/sources/{name}
GET /v1/conversations
GET /v1/conversations/{conversation_id}
GET /v1/conversations/{conversation_id}/sources
PATCH /v1/conversations/{conversation_id}
DELETE /v1/conversations/{conversation_id}
POST /v1/conversations/{conversation_id}/share
DELETE /v1/conversations/{conversation_id}/share
GET /v1/conversations/{conversation_id}/turns/{turn_id}/follow-ups
DELETE /v1/conversations/{conversation_id}/turns/{turn_id}
GET /v1/notebooks
POST /v1/notebooks
PATCH /v1/notebooks/{notebook_id}
DELETE /v1/notebooks/{notebook_id}
GET /v1/graph
GET /v1/graph/entities
GET /v1/graph/entities/{entity:path}
GET /v1/graph/path
GET /v1/graph/communities
POST /v1/research
POST /api/run
GET /v1/research
GET /v1/research/{run_id}
GET /v1/research/{run_id}/comparison/{other_id}
GET /v1/research/{run_id}/report
POST /v1/research/{run_id}/resume
DELETE /v1/research/{run_id}
POST /v1/check
POST /v1/feedback
GET /v1/feedback/summary
GET /v1/feedback/drift
POST /rag/query
POST /summarize
GET /rag/stats
GET /rag/conversation/{conversation_id}/sources
DELETE /rag/conversation/{conversation_id}
"""
WRITE = """
POST /v1/documents
POST /v1/documents/addresses
DELETE /v1/documents/{document_id}
DELETE /v1/jobs/{job_id}
POST /v1/jobs/{job_id}/retry
POST /v1/sources/{name}/sync
"""
ADMIN = """
GET /metrics
POST /v1/sources
DELETE /v1/sources/{name}
GET /v1/audit
GET /v1/keys
POST /v1/keys
POST /v1/keys/{key_id}/rotate
DELETE /v1/keys/{key_id}
GET /v1/users
POST /v1/users
PUT /v1/users/{name}/password
DELETE /v1/users/{name}
GET /v1/settings
GET /v1/settings/news
GET /v1/settings/embedder
"""
OPERATOR = """
GET /v1/evaluation
GET /v1/evaluation/comparison
GET /v1/evaluation/golden/{name}
PUT /v1/evaluation/golden/{name}/{question_id}
DELETE /v1/evaluation/golden/{name}/{question_id}
PATCH /v1/settings
GET /v1/settings/servers
POST /v1/settings/trial
POST /v1/settings/news/{name}/trial
POST /v1/settings/embedder/estimate
POST /v1/settings/embedder/move
"""
"""What concerns all tenants, or files of the home: for administrators of the tenant that the service itself belongs to."""


def _read_operations(text: str) -> list[tuple[str, str]]:
    return [(method, path) for method, path in map(str.split, text.strip().splitlines())]


ROLES = {
    operation: role
    for role, operations in ((Role.READ, READ), (Role.WRITE, WRITE), (Role.ADMIN, ADMIN), (Role.ADMIN, OPERATOR))
    for operation in _read_operations(operations)
}
"""The minimum role by method and path."""


OPERATORS = frozenset(_read_operations(OPERATOR))
"""Those for operators, by method and path."""


@dataclass(frozen=True, slots=True)
class Need:
    """What an operation asks of a key: a role, and whether in the tenant of the service."""

    role: Role
    operator: bool


_COMPILED = [(of[0], compile_path(of[1])[0], Need(role, of in OPERATORS)) for of, role in ROLES.items()]


def find_need(method: str, path: str) -> Need | None:
    """What a request asks for; None for an address that is none, or that does not take this method."""
    return next((need for of, pattern, need in _COMPILED if of == method and pattern.match(path)), None)
