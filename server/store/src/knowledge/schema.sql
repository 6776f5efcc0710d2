-- What is known of the project's knowledge. Every row can be made again from the
-- recipe files and the journals below .asd/, so nothing here is ever migrated:
-- another version of this file means another database.

-- One row a recipe file, also for those that are refused. (The index by which
-- files that did not change are not read again.)
CREATE TABLE knowledge_files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    changed INTEGER NOT NULL,
    seen INTEGER NOT NULL,
    hash TEXT NOT NULL,
    stated_hash TEXT,
    id TEXT,
    title TEXT NOT NULL DEFAULT '',
    trigger TEXT NOT NULL DEFAULT '',
    lifecycle TEXT NOT NULL DEFAULT '',
    states_lifecycle INTEGER NOT NULL DEFAULT 0,
    updated_at INTEGER,
    error_line INTEGER,
    error TEXT
) WITHOUT ROWID;

CREATE TABLE knowledge_entries (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    title_key TEXT NOT NULL,
    description TEXT NOT NULL,
    trigger TEXT NOT NULL,
    trigger_key TEXT NOT NULL,
    kind TEXT NOT NULL,
    knowledge_type TEXT NOT NULL,
    language TEXT NOT NULL,
    category TEXT NOT NULL,
    dimension_id TEXT,
    topic_hint TEXT,
    scope TEXT NOT NULL,
    complexity TEXT NOT NULL,
    difficulty TEXT,
    module_name TEXT,
    when_clause TEXT NOT NULL,
    do_clause TEXT NOT NULL,
    dont_clause TEXT NOT NULL,
    core_code TEXT,
    include_headers INTEGER NOT NULL,
    usage_guide TEXT NOT NULL,
    lifecycle TEXT NOT NULL,
    auto_approvable INTEGER NOT NULL,
    staging_deadline INTEGER,
    source TEXT NOT NULL,
    source_file TEXT,
    source_candidate_id TEXT,
    created_by TEXT,
    created_at INTEGER,
    updated_at INTEGER,
    published_by TEXT,
    published_at INTEGER,
    reviewed_by TEXT,
    reviewed_at INTEGER,
    rejection_reason TEXT,
    agent_notes TEXT,
    ai_insight TEXT,
    -- JSON
    tags TEXT NOT NULL,
    headers TEXT NOT NULL,
    header_paths TEXT NOT NULL,
    content TEXT NOT NULL,
    constraints TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    relations TEXT NOT NULL,
    lifecycle_history TEXT NOT NULL,
    quality TEXT,
    stats TEXT,
    extra TEXT NOT NULL,
    -- Where it comes from
    content_hash TEXT NOT NULL,
    file_path TEXT,
    -- The path of the recipe that has its trigger already, if one does
    conflict TEXT,
    -- Milliseconds since 1970 when its file was found to be gone
    removed_at INTEGER
) WITHOUT ROWID;
CREATE INDEX entries_by_trigger ON knowledge_entries (trigger_key);
CREATE INDEX entries_by_title ON knowledge_entries (title_key);
CREATE INDEX entries_by_path ON knowledge_entries (file_path);

CREATE TABLE knowledge_edges (
    from_id TEXT NOT NULL,
    from_type TEXT NOT NULL,
    to_id TEXT NOT NULL,
    to_type TEXT NOT NULL,
    relation TEXT NOT NULL,
    weight REAL NOT NULL DEFAULT 1.0,
    metadata TEXT,
    PRIMARY KEY (from_id, from_type, to_id, to_type, relation)
) WITHOUT ROWID;
CREATE INDEX edges_by_target ON knowledge_edges (to_id, to_type);

CREATE TABLE recipe_source_refs (
    recipe_id TEXT NOT NULL,
    path TEXT NOT NULL,
    lines TEXT NOT NULL DEFAULT '',
    state TEXT NOT NULL DEFAULT 'active',
    renamed_to TEXT,
    checked_at INTEGER,
    PRIMARY KEY (recipe_id, path, lines)
) WITHOUT ROWID;
CREATE INDEX refs_by_path ON recipe_source_refs (path);

-- The journals, for questions. `journalled` is 0 while a row is on its way into
-- its file.
CREATE TABLE lifecycle_events (
    id TEXT PRIMARY KEY,
    recipe_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    event TEXT NOT NULL,
    journalled INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX events_by_recipe ON lifecycle_events (recipe_id, created_at);
CREATE INDEX events_to_journal ON lifecycle_events (journalled) WHERE journalled = 0;

CREATE TABLE audit_logs (
    id TEXT PRIMARY KEY,
    timestamp INTEGER NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    resource TEXT NOT NULL,
    result TEXT NOT NULL,
    row TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX audit_by_time ON audit_logs (timestamp);

CREATE TABLE evolution_proposals (
    id TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    type TEXT NOT NULL,
    status TEXT NOT NULL,
    proposal TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX proposals_by_target ON evolution_proposals (target, type);

-- What other rooms keep for their questions.
CREATE TABLE guard_violations (
    run_id TEXT NOT NULL,
    rule_id TEXT NOT NULL,
    recipe_id TEXT,
    file_path TEXT NOT NULL,
    line INTEGER,
    severity TEXT NOT NULL,
    message TEXT NOT NULL,
    created_at INTEGER NOT NULL
);
CREATE INDEX violations_by_recipe ON guard_violations (recipe_id, created_at);

CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    actor TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    metadata TEXT
) WITHOUT ROWID;

CREATE TABLE code_entities (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    name TEXT NOT NULL,
    file_path TEXT,
    line INTEGER,
    metadata TEXT
) WITHOUT ROWID;
CREATE INDEX entities_by_file ON code_entities (file_path);

CREATE TABLE bootstrap_snapshots (
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    snapshot TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE bootstrap_dim_files (
    snapshot_id TEXT NOT NULL,
    dimension_id TEXT NOT NULL,
    file_path TEXT NOT NULL,
    content_hash TEXT NOT NULL,
    PRIMARY KEY (snapshot_id, dimension_id, file_path)
) WITHOUT ROWID;

CREATE TABLE remote_state (
    remote TEXT PRIMARY KEY,
    state TEXT NOT NULL,
    updated_at INTEGER NOT NULL
) WITHOUT ROWID;

-- Small facts about this database: how far journals were read, whether the
-- recipes were ever read as a whole.
CREATE TABLE facts (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;

CREATE TABLE schema_migrations (
    version INTEGER PRIMARY KEY,
    applied_at INTEGER NOT NULL
);
