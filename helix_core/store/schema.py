"""The tables, as SQL. Standard library only.

The data model in words (the words are those of ARCHITECTURE.md): `insight` is the memory itself
and `insight_edges` its graph. `agent_run` is one subagent, `injection` one insight shown to it,
`feedback_event` one insight moved by its outcome, `agent_result` the guard that makes the end of
an agent count once, and `session_log` the searchable archive. `revision`, `trash`, `tombstone` and
`curation_event` are what makes every change reversible. `run` and `task` are the ledger of a plan,
`question` what waits for a person, `hook_call` how the hooks are doing, `synthesis` which failures
of the archive were made into which insight.

Tables up to version 15 are those of the earlier public plugin and keep names and columns.
"""

from __future__ import annotations

LATEST = 21
TAILS = ("", "-wal", "-shm")
"""What SQLite adds to a database's name: the file itself, its log, its shared memory."""

INSIGHT = """CREATE TABLE IF NOT EXISTS insight (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE NOT NULL,
    content TEXT NOT NULL,
    embedding BLOB,
    effectiveness REAL DEFAULT 0.5,
    use_count INTEGER DEFAULT 0,
    created_at TEXT NOT NULL,
    last_used TEXT,
    tags TEXT DEFAULT '[]'
)"""

INSIGHT_COLUMNS_7 = {"causal_hits": "INTEGER DEFAULT 0", "last_feedback_at": "TEXT"}
INSIGHT_COLUMNS_14 = {
    "recent_uses": "INTEGER DEFAULT 0",
    "context_spread": "REAL DEFAULT NULL",
    "context_centroid": "BLOB DEFAULT NULL",
}
INSIGHT_COLUMNS_16 = {
    "pinned": "INTEGER NOT NULL DEFAULT 0",
    "source": "TEXT NOT NULL DEFAULT 'agent'",
    "embedding_model": "TEXT",
    "row_version": "INTEGER NOT NULL DEFAULT 1",
    "updated_at": "TEXT",
    "context_count": "INTEGER NOT NULL DEFAULT 0",
    "confirmations": "INTEGER NOT NULL DEFAULT 0",
    "decayed_on": "TEXT",
    "terms": "TEXT NOT NULL DEFAULT ''",
}

EDGES = (
    """CREATE TABLE IF NOT EXISTS insight_edges (
    src_id INTEGER NOT NULL,
    dst_id INTEGER NOT NULL,
    weight REAL NOT NULL,
    relation TEXT NOT NULL DEFAULT 'similar',
    created_at TEXT NOT NULL,
    PRIMARY KEY (src_id, dst_id, relation)
)""",
    "CREATE INDEX IF NOT EXISTS idx_edges_src ON insight_edges(src_id)",
    "CREATE INDEX IF NOT EXISTS idx_edges_dst ON insight_edges(dst_id)",
)

SESSION_LOG = """CREATE TABLE IF NOT EXISTS session_log (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_id TEXT NOT NULL,
    agent_type TEXT NOT NULL,
    task_id TEXT,
    outcome TEXT,
    summary TEXT,
    transcript_hash TEXT,
    created_at TEXT NOT NULL
)"""
SESSION_LOG_COLUMNS_16 = {
    "session_id": "TEXT",
    "agent_run_id": "INTEGER",
    "reason": "TEXT",
    "reason_vector": "BLOB",
    "embedding_model": "TEXT",
}

FTS_TABLES = ("insight_fts", "session_log_fts")
INSIGHT_FTS = (
    """CREATE VIRTUAL TABLE insight_fts USING fts5(
    content, tags, terms, content='insight', content_rowid='id', tokenize='porter unicode61')""",
    """CREATE TRIGGER insight_fts_ai AFTER INSERT ON insight BEGIN
    INSERT INTO insight_fts(rowid, content, tags, terms)
    VALUES (new.id, new.content, new.tags, new.terms); END""",
    """CREATE TRIGGER insight_fts_ad AFTER DELETE ON insight BEGIN
    INSERT INTO insight_fts(insight_fts, rowid, content, tags, terms)
    VALUES ('delete', old.id, old.content, old.tags, old.terms); END""",
    """CREATE TRIGGER insight_fts_au AFTER UPDATE OF content, tags, terms ON insight BEGIN
    INSERT INTO insight_fts(insight_fts, rowid, content, tags, terms)
    VALUES ('delete', old.id, old.content, old.tags, old.terms);
    INSERT INTO insight_fts(rowid, content, tags, terms)
    VALUES (new.id, new.content, new.tags, new.terms); END""",
    "INSERT INTO insight_fts(insight_fts) VALUES ('rebuild')",
)
SESSION_LOG_FTS = (
    """CREATE VIRTUAL TABLE session_log_fts USING fts5(
    summary, outcome, content='session_log', content_rowid='id', tokenize='porter unicode61')""",
    """CREATE TRIGGER session_log_fts_ai AFTER INSERT ON session_log BEGIN
    INSERT INTO session_log_fts(rowid, summary, outcome)
    VALUES (new.id, new.summary, new.outcome); END""",
    """CREATE TRIGGER session_log_fts_ad AFTER DELETE ON session_log BEGIN
    INSERT INTO session_log_fts(session_log_fts, rowid, summary, outcome)
    VALUES ('delete', old.id, old.summary, old.outcome); END""",
    """CREATE TRIGGER session_log_fts_au AFTER UPDATE OF summary, outcome ON session_log BEGIN
    INSERT INTO session_log_fts(session_log_fts, rowid, summary, outcome)
    VALUES ('delete', old.id, old.summary, old.outcome);
    INSERT INTO session_log_fts(rowid, summary, outcome)
    VALUES (new.id, new.summary, new.outcome); END""",
    "INSERT INTO session_log_fts(session_log_fts) VALUES ('rebuild')",
)

# What changed a vector, in order: the worker refreshes its matrix from here, not by rereading.
VECTOR_CHANGE = (
    """CREATE TABLE IF NOT EXISTS vector_change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, insight_id INTEGER NOT NULL)""",
    """CREATE TRIGGER IF NOT EXISTS vector_change_ai AFTER INSERT ON insight
    WHEN new.embedding IS NOT NULL BEGIN
    INSERT INTO vector_change(insight_id) VALUES (new.id); END""",
    """CREATE TRIGGER IF NOT EXISTS vector_change_ad AFTER DELETE ON insight BEGIN
    INSERT INTO vector_change(insight_id) VALUES (old.id); END""",
    """CREATE TRIGGER IF NOT EXISTS vector_change_au
    AFTER UPDATE OF embedding, embedding_model ON insight BEGIN
    INSERT INTO vector_change(insight_id) VALUES (new.id); END""",
)

RUNS_16 = (
    """CREATE TABLE IF NOT EXISTS session (
    session_id TEXT PRIMARY KEY,
    source TEXT,
    transcript_path TEXT,
    started_at TEXT NOT NULL,
    ended_at TEXT,
    maintained_at TEXT
)""",
    """CREATE TABLE IF NOT EXISTS run (
    run_id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    objective TEXT,
    planner_run_id INTEGER,
    started_at TEXT NOT NULL,
    ended_at TEXT
)""",
    "CREATE INDEX IF NOT EXISTS idx_run_session ON run(session_id)",
    """CREATE TABLE IF NOT EXISTS task (
    run_id INTEGER NOT NULL,
    seq TEXT NOT NULL,
    slug TEXT,
    description TEXT,
    relevant_files TEXT NOT NULL DEFAULT '[]',
    blocked_by TEXT NOT NULL DEFAULT '[]',
    verify TEXT,
    decided TEXT,
    PRIMARY KEY (run_id, seq)
)""",
    """CREATE TABLE IF NOT EXISTS agent_run (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    session_id TEXT NOT NULL,
    tool_use_id TEXT,
    agent_id TEXT UNIQUE,
    agent_type TEXT NOT NULL,
    run_id INTEGER,
    task_id TEXT,
    task TEXT,
    objective TEXT,
    verify TEXT,
    query TEXT,
    query_vector BLOB,
    embedding_model TEXT,
    prompt_hash TEXT,
    constraints TEXT,
    risk_areas TEXT,
    mode TEXT,
    note TEXT,
    state TEXT NOT NULL DEFAULT 'running',
    outcome_source TEXT,
    summary TEXT,
    feedback TEXT NOT NULL DEFAULT 'none',
    transcript_path TEXT,
    created_at TEXT NOT NULL,
    started_at TEXT,
    ended_at TEXT,
    UNIQUE (session_id, tool_use_id)
)""",
    "CREATE INDEX IF NOT EXISTS idx_agent_run_session ON agent_run(session_id, state)",
    "CREATE INDEX IF NOT EXISTS idx_agent_run_feedback ON agent_run(feedback)",
    """CREATE TABLE IF NOT EXISTS injection (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    agent_run_id INTEGER NOT NULL,
    session_id TEXT NOT NULL,
    tool_use_id TEXT NOT NULL,
    insight_id INTEGER NOT NULL,
    name TEXT NOT NULL,
    rank INTEGER NOT NULL,
    relevance REAL,
    effectiveness REAL NOT NULL,
    value REAL,
    score REAL NOT NULL,
    hop INTEGER NOT NULL DEFAULT 0,
    chars INTEGER NOT NULL DEFAULT 0,
    withheld INTEGER NOT NULL DEFAULT 0,
    source TEXT NOT NULL,
    created_at TEXT NOT NULL,
    UNIQUE (session_id, tool_use_id, insight_id)
)""",
    "CREATE INDEX IF NOT EXISTS idx_injection_run ON injection(agent_run_id)",
    "CREATE INDEX IF NOT EXISTS idx_injection_insight ON injection(insight_id)",
    # What batch-inject handed to the orchestrator: only such names are believed in a prompt.
    """CREATE TABLE IF NOT EXISTS offer (
    session_id TEXT NOT NULL,
    insight_id INTEGER NOT NULL,
    task_id TEXT NOT NULL DEFAULT '',
    relevance REAL,
    effectiveness REAL NOT NULL,
    score REAL NOT NULL,
    created_at TEXT NOT NULL,
    PRIMARY KEY (session_id, task_id, insight_id)
)""",
    """CREATE TABLE IF NOT EXISTS agent_result (
    agent_id TEXT NOT NULL,
    message_hash TEXT NOT NULL,
    session_id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    parts TEXT NOT NULL DEFAULT '',
    children TEXT NOT NULL DEFAULT '[]',
    created_at TEXT NOT NULL,
    PRIMARY KEY (agent_id, message_hash)
)""",
    """CREATE TABLE IF NOT EXISTS feedback_event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    insight_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    agent_run_id INTEGER,
    agent_id TEXT NOT NULL,
    session_id TEXT,
    task_id TEXT,
    task TEXT,
    outcome TEXT NOT NULL,
    source TEXT NOT NULL,
    similarity REAL,
    weight REAL NOT NULL,
    causal INTEGER NOT NULL,
    before REAL NOT NULL,
    after REAL NOT NULL,
    baseline REAL,
    message_hash TEXT NOT NULL,
    created_at TEXT NOT NULL,
    undone_by INTEGER,
    UNIQUE (agent_id, insight_id, message_hash)
)""",
    "CREATE INDEX IF NOT EXISTS idx_feedback_insight ON feedback_event(insight_id, created_at)",
    "CREATE INDEX IF NOT EXISTS idx_feedback_run ON feedback_event(agent_run_id)",
)

CURATION_16 = (
    """CREATE TABLE IF NOT EXISTS revision (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    insight_id INTEGER NOT NULL,
    row_version INTEGER NOT NULL,
    content TEXT NOT NULL,
    tags TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    effectiveness REAL NOT NULL,
    reason TEXT NOT NULL,
    actor TEXT NOT NULL,
    created_at TEXT NOT NULL
)""",
    "CREATE INDEX IF NOT EXISTS idx_revision_insight ON revision(insight_id)",
    """CREATE TABLE IF NOT EXISTS trash (
    insight_id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    content TEXT NOT NULL,
    columns TEXT NOT NULL,
    embedding BLOB,
    context_centroid BLOB,
    edges TEXT NOT NULL,
    reason TEXT NOT NULL,
    actor TEXT NOT NULL,
    merged_into INTEGER,
    trashed_at TEXT NOT NULL,
    expires_at TEXT NOT NULL
)""",
    """CREATE TABLE IF NOT EXISTS tombstone (
    content_hash TEXT PRIMARY KEY,
    content TEXT NOT NULL,
    name TEXT,
    vector BLOB,
    embedding_model TEXT,
    reason TEXT NOT NULL,
    created_at TEXT NOT NULL
)""",
    """CREATE TABLE IF NOT EXISTS curation_event (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    action TEXT NOT NULL,
    actor TEXT NOT NULL,
    insight_ids TEXT NOT NULL,
    detail TEXT NOT NULL DEFAULT '{}',
    reason TEXT NOT NULL DEFAULT '',
    undo_of INTEGER,
    undone_by INTEGER,
    created_at TEXT NOT NULL
)""",
    """CREATE TABLE IF NOT EXISTS question (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    session_id TEXT,
    agent_run_id INTEGER,
    header TEXT NOT NULL,
    question TEXT NOT NULL,
    options TEXT NOT NULL DEFAULT '[]',
    evidence TEXT NOT NULL DEFAULT '{}',
    state TEXT NOT NULL DEFAULT 'open',
    answer TEXT,
    answered_by TEXT,
    created_at TEXT NOT NULL,
    closed_at TEXT
)""",
    """CREATE TABLE IF NOT EXISTS rejection (
    rule TEXT PRIMARY KEY, count INTEGER NOT NULL, last_at TEXT NOT NULL)""",
    """CREATE TABLE IF NOT EXISTS hook_call (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    event TEXT NOT NULL,
    session_id TEXT,
    agent_id TEXT,
    ms REAL NOT NULL,
    mode TEXT NOT NULL,
    ok INTEGER NOT NULL,
    error TEXT NOT NULL DEFAULT '',
    created_at TEXT NOT NULL
)""",
    "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT NOT NULL)",
)

SYNTHESIS_17 = (
    """CREATE TABLE IF NOT EXISTS synthesis (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    insight_id INTEGER,
    name TEXT,
    action TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    summary TEXT NOT NULL,
    members TEXT NOT NULL,
    newest INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    tightness REAL NOT NULL,
    confidence REAL NOT NULL,
    created_at TEXT NOT NULL
)""",
    "CREATE INDEX IF NOT EXISTS idx_synthesis_insight ON synthesis(insight_id)",
    "CREATE INDEX IF NOT EXISTS idx_session_log_outcome ON session_log(outcome)",
)

RUN_COLUMNS_18 = {
    "plan_hash": "TEXT",
    "errors": "TEXT NOT NULL DEFAULT '[]'",
    "warnings": "TEXT NOT NULL DEFAULT '[]'",
    "replaces": "INTEGER",
    "actor": "TEXT",
    "confirmed_at": "TEXT",
}
TASK_COLUMNS_18 = {
    "position": "REAL",
    "decided_after": "INTEGER",
    "decided_by": "TEXT",
    "decided_at": "TEXT",
    "reason": "TEXT",
    "replaces": "TEXT NOT NULL DEFAULT '[]'",
    "tool_task_id": "TEXT",
}
PLANS_18 = (
    "UPDATE task SET position = rowid WHERE position IS NULL",
    # Which run an agent belongs to was guessed from the times so far: the last plan whose planner
    # had started by then; explorers before the first plan belong to it.
    """UPDATE agent_run SET run_id = coalesce(
    (SELECT r.run_id FROM run r LEFT JOIN agent_run p ON p.id = r.planner_run_id
     WHERE r.session_id = agent_run.session_id
     AND coalesce(p.created_at, r.started_at) <= agent_run.created_at
     ORDER BY r.run_id DESC LIMIT 1),
    CASE WHEN agent_type LIKE '%builder' THEN NULL
    ELSE (SELECT min(run_id) FROM run WHERE session_id = agent_run.session_id) END)
    WHERE run_id IS NULL""",
    "CREATE INDEX IF NOT EXISTS idx_agent_run_run ON agent_run(run_id)",
)

QUESTION_COLUMNS_19 = {
    "task_id": "TEXT",
    "subject": "TEXT NOT NULL DEFAULT ''",
    "multi_select": "INTEGER NOT NULL DEFAULT 0",
    "corrects": "INTEGER",
    "stored": "TEXT NOT NULL DEFAULT '[]'",
}
QUESTION_INDEXES_19 = (
    "CREATE INDEX IF NOT EXISTS idx_question_state ON question(state)",
    "CREATE INDEX IF NOT EXISTS idx_question_subject ON question(kind, subject)",
)

# Letters that no letter outside ASCII turns into when case is folded ("ß" becomes "ss", the Kelvin
# sign "k"), so that their number is the same in every spelling of the same words.
FIRM_LETTERS = "eordcumpg"


def outline(value: str) -> str:
    """SQL for the outline of a text: how often each firm letter stands in it, as one number.

    Equal for texts that differ in case and white space only, and for few others. `value` is a
    column or a parameter; the column's is indexed, so the expression must stay as it is.
    """
    return " + ".join(
        f"(length({value}) - length(replace(replace({value}, '{letter}', ''),"
        f" '{letter.upper()}', ''))) * {64**place}"
        for place, letter in enumerate(FIRM_LETTERS)
    )


OUTLINE_20 = f"CREATE INDEX IF NOT EXISTS idx_insight_outline ON insight({outline('content')})"

INJECTION_COLUMNS_21 = {"holdout": "REAL"}
"""The probability with which this insight could have been withheld; NULL: no coin was tossed."""
