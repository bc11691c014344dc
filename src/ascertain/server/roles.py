"""The role that each operation needs: the one table of roles.

tests/integration/server/test_users.py checks it against the routes.
"""

from starlette.routing import compile_path

from ascertain.core.service import Role

READ = """
GET /v1/session
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
GET /v1/evaluation
GET /v1/evaluation/comparison
GET /v1/evaluation/golden/{name}
PUT /v1/evaluation/golden/{name}/{question_id}
DELETE /v1/evaluation/golden/{name}/{question_id}
GET /v1/settings
PATCH /v1/settings
GET /v1/settings/servers
POST /v1/settings/trial
GET /v1/settings/news
POST /v1/settings/news/{name}/trial
GET /v1/settings/embedder
POST /v1/settings/embedder/estimate
POST /v1/settings/embedder/move
"""
ROLES = {
    (line.split()[0], line.split()[1]): role
    for role, operations in ((Role.READ, READ), (Role.WRITE, WRITE), (Role.ADMIN, ADMIN))
    for line in operations.strip().splitlines()
}
"""The minimum role by method and path."""


_COMPILED = [(method, compile_path(path)[0], role) for (method, path), role in ROLES.items()]


def find_role(method: str, path: str) -> Role | None:
    """The role that a request needs; None for an unknown address, or one without this method."""
    return next((role for of, pattern, role in _COMPILED if of == method and pattern.match(path)), None)
