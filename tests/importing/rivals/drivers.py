"""What the programs are told to keep, and the scripts that tell them; `make` uses it."""

from __future__ import annotations

from typing import Any

SAVED = {
    "title": "Use PostgreSQL for persistence",
    "text": "We decided to use PostgreSQL 16 because two workers write at once.",
    "project": "shop",
}
_SESSION = {"memory_session_id": "m-1", "project": "shop", "prompt_number": 1}
_AT = {"created_at": "2026-03-02T09:20:00.000Z", "created_at_epoch": 1_772_443_200_000}
_OBSERVATION = {
    "text": None,
    "type": "bugfix",
    "title": "Invoice totals were off by a cent",
    "subtitle": "Floats lose cents",
    "facts": '["Amounts are integers in cents","src/money.py has the helpers"]',
    "narrative": "The sum of floats lost a cent. Amounts are integers in cents now.",
    "concepts": '["problem-solution","rounding"]',
    "files_read": '["src/invoice.py"]',
    "files_modified": '["src/money.py"]',
    "discovery_tokens": 10,
}
_SUMMARY = {
    "request": "Fix the rounding bug",
    "investigated": "The invoice totals",
    "learned": "Floats lose cents in sums",
    "completed": "Amounts are integers in cents",
    "next_steps": "Migrate old invoices",
    "files_read": '["src/invoice.py"]',
    "files_edited": '["src/money.py"]',
    "notes": None,
    "discovery_tokens": 10,
}
OBSERVED = {
    "sessions": [
        {
            "content_session_id": "c-1",
            "memory_session_id": "m-1",
            "project": "shop",
            "user_prompt": "Fix the rounding bug",
            "started_at": "2026-03-02T09:00:00.000Z",
            "started_at_epoch": 1_772_442_000_000,
            "completed_at": None,
            "completed_at_epoch": None,
            "status": "completed",
        }
    ],
    "summaries": [{**_SESSION, **_SUMMARY, **_AT}],
    "observations": [
        {**_SESSION, **_OBSERVATION, **_AT},
        {**_SESSION, **_OBSERVATION, **_AT, "project": "other", "title": "Not about the shop"},
    ],
    "prompts": [],
}
GRAPH = [
    [
        "create_entities",
        {
            "entities": [
                {
                    "name": "billing-service",
                    "entityType": "service",
                    "observations": ["Uses PostgreSQL 16", "Amounts are integers in cents"],
                },
                {"name": "Ada", "entityType": "person", "observations": ["Prefers small commits"]},
            ]
        },
    ],
    [
        "create_relations",
        {"relations": [{"from": "Ada", "to": "billing-service", "relationType": "maintains"}]},
    ],
]
KEPT = [
    [
        "memory_save",
        {
            "content": "Use PostgreSQL 16 because two workers write at once.",
            "type": "architecture",
            "concepts": "database,persistence",
            "files": "src/db.py",
        },
    ],
    ["memory_save", {"content": "Amounts are integers in cents.", "type": "preference"}],
]
# What a session tells the full server of agentmemory, by its HTTP API.
_HERE = {"sessionId": "s-1", "project": "shop", "cwd": "/home/ada/shop"}
_EDIT = {"tool_name": "Edit", "tool_input": {"file_path": "src/db.py"}, "tool_output": "ok"}
TOLD: list[tuple[str, dict[str, Any]]] = [
    ("session/start", _HERE),
    (
        "observe",
        {
            **_HERE,
            "hookType": "post_tool_use",
            "timestamp": "2026-03-02T09:00:00Z",
            "data": _EDIT,
        },
    ),
    (
        "remember",
        {
            "content": "Use PostgreSQL 16 because two workers write at once.",
            "type": "architecture",
            "concepts": ["database", "persistence"],
            "files": ["src/db.py"],
            "project": "shop",
        },
    ),
    ("remember", {"content": "Amounts are integers in cents.", "type": "preference"}),
    ("remember", {"content": "The worker listens on port 1 for jobs.", "project": "shop"}),
    ("remember", {"content": "The worker listens on port 2 for jobs.", "project": "shop"}),
    ("remember", {"content": "Not about the shop.", "project": "other"}),
    (
        "lessons",
        {
            "content": "Restart the worker after a deploy",
            "context": "The queue keeps old code",
            "confidence": 0.8,
            "project": "shop",
            "tags": "deploy,queue",
        },
    ),
    ("lessons", {"content": "This was wrong", "project": "shop"}),
    ("lessons", {"content": "Not a lesson of the shop", "project": "other"}),
    ("session/end", {"sessionId": "s-1"}),
    ("summarize", {"sessionId": "s-1"}),
]
DELETED = "This was wrong"
SUMMARY = """<summary>
<title>Move the orders to PostgreSQL</title>
<narrative>Two workers locked each other out of SQLite, so the orders moved.</narrative>
<decisions><decision>Use PostgreSQL 16</decision></decisions>
<files><file>src/db.py</file></files>
<concepts><concept>database</concept></concepts>
</summary>"""
# Calls tools of an MCP server.
TALK = """
import {spawn} from 'child_process';
const server = spawn('node', [process.argv[2]], {stdio: ['pipe', 'pipe', 'inherit']});
let id = 0, text = '';
const waiting = {};
server.stdout.on('data', (data) => {
  text += data;
  for (let end; (end = text.indexOf('\\n')) >= 0; text = text.slice(end + 1)) {
    const line = text.slice(0, end).trim();
    const message = line ? JSON.parse(line) : {};
    waiting[message.id]?.(message);
  }
});
const send = (message) => server.stdin.write(JSON.stringify({jsonrpc: '2.0', ...message}) + '\\n');
const call = (method, params) => new Promise((done) => {
  waiting[++id] = done;
  send({id, method, params});
});
const client = {name: 'test', version: '1'};
await call('initialize', {protocolVersion: '2024-11-05', capabilities: {}, clientInfo: client});
send({method: 'notifications/initialized'});
for (const [name, args] of JSON.parse(process.argv[3]))
  await call('tools/call', {name, arguments: args});
setTimeout(() => { server.kill(); process.exit(); }, 1500);
"""
_VECTORS = """
import hashlib, numpy
def vector(text, size):
    seed = int.from_bytes(hashlib.sha256(str(text).encode()).digest()[:8], 'big')
    found = numpy.random.default_rng(seed).normal(size=size).astype(numpy.float32)
    return found / numpy.linalg.norm(found)
"""
MEM0 = (
    _VECTORS
    + """
import json, os, sys
os.environ |= {'MEM0_TELEMETRY': 'False', 'OPENAI_API_KEY': 'none'}
from mem0 import Memory
from mem0.embeddings.openai import OpenAIEmbedding
OpenAIEmbedding.embed = lambda self, text, *more, **options: vector(text, 32).tolist()
OpenAIEmbedding.embed_batch = lambda self, texts, *m, **o: [vector(t, 32).tolist() for t in texts]
base = sys.argv[1]
store = {'path': base + '/qdrant', 'on_disk': True, 'embedding_model_dims': 32}
memory = Memory.from_config({
    'vector_store': {'provider': 'qdrant', 'config': {**store, 'collection_name': 'mem0'}},
    'history_db_path': base + '/history.db',
    'embedder': {'provider': 'openai', 'config': {'embedding_dims': 32}},
})
def add(text, **more):
    said = [{'role': 'user', 'content': text}]
    return memory.add(said, user_id='ada', infer=False, **more)['results'][0]['id']
add('We decided to use PostgreSQL 16 because two workers write at once.',
    metadata={'category': 'decision'})
memory.update(add('Amounts are integers in cents'), 'Amounts are integers in cents, never floats')
memory.delete(add('This was wrong'))
with open(base + '/export.json', 'w') as file:
    json.dump(memory.get_all(filters={'user_id': 'ada'}), file, indent=1)
"""
)
MEMPALACE = (
    _VECTORS
    + """
import os, sys
from chromadb.utils.embedding_functions import ONNXMiniLM_L6_V2 as Model
Model.__call__ = lambda self, input: [vector(text, 384) for text in input]
Model._download_model_if_not_exists = lambda self: None
base = sys.argv[1]
os.environ['MEMPALACE_PALACE_PATH'] = base + '/palace'
from mempalace import cli
def tell(*words):
    sys.argv = ['mempalace', '--palace', base + '/palace', *words]
    try:
        cli.main()
    except SystemExit as end:
        assert not end.code, end.code
sys.stdin = open(os.devnull)
tell('init', base + '/shop', '--yes', '--no-llm')
tell('mine', base + '/shop')
from mempalace import mcp_server
print(mcp_server.tool_add_drawer(
    wing='shop', room='money', content='Amounts are integers in cents, never floats.'))
print(mcp_server.tool_add_drawer(
    wing='other', room='money', content='This is about another project.'))
"""
)
