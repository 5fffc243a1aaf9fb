// GET /metrics as Prometheus reads it: by a strict reader of our own, and by promtool where it is installed
// (PROMTOOL=FILE for one that is not in PATH); and whether what is counted moves.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { get, post, withHttp } from './http_client.mjs';
import { request, until } from './server.mjs';

// ---- the text format, version 0.0.4 ----

const NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const SAMPLE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\[\\"n])*",?)*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\[\\"n])*)"(,|$)/y;
const VALUE = /^(?:[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?|NaN|[+-]Inf)$/;

function readLabels(text = '') {
    const labels = {};
    LABEL.lastIndex = 0;
    while (LABEL.lastIndex < text.length) {
        const match = LABEL.exec(text);
        assert.ok(match, `labels ${text}`);
        assert.ok(!(match[1] in labels) && !match[1].startsWith('__'), `label ${match[1]}`);
        labels[match[1]] = match[2].replace(/\\(.)/g, (_, letter) => (letter === 'n' ? '\n' : letter));
    }
    assert.ok(!text.endsWith(','), text);
    return labels;
}

// The family a sample may belong to, given that family's type.
const isOf = (family, name) => name === family.name
    || (family.type === 'histogram' && [`${family.name}_bucket`, `${family.name}_sum`, `${family.name}_count`].includes(name));

// {family: {type, help, samples: [{name, labels, value}]}}
function readMetrics(text) {
    assert.ok(text.endsWith('\n'), 'the last line ends');
    const families = new Map();
    const series = new Set();
    let family;
    for (const line of text.slice(0, -1).split('\n')) {
        const [, word, name, rest] = /^# (HELP|TYPE) (\S+) (.*)$/.exec(line) ?? [];
        if (word === 'HELP') {
            assert.match(name, NAME);
            assert.ok(!families.has(name), `${name} is there once`);
            assert.ok(!/\\[^\\n]/.test(rest) && rest.length > 0, line);
            family = { name, help: rest, samples: [] };
            families.set(name, family);
        } else if (word === 'TYPE') {
            assert.ok(family?.name === name && !family.type && family.samples.length === 0, line);
            assert.match(rest, /^(counter|gauge|histogram|summary|untyped)$/);
            family.type = rest;
        } else {
            const match = SAMPLE.exec(line);
            assert.ok(match, `a sample: ${line}`);
            assert.ok(family?.type && isOf(family, match[1]), `${line} is below its own family`);
            assert.match(match[3], VALUE);
            const sample = { name: match[1], labels: readLabels(match[2]), value: Number(match[3].replace('Inf', 'Infinity')) };
            const key = JSON.stringify([sample.name, Object.entries(sample.labels).sort()]);
            assert.ok(!series.has(key), `${key} is there once`);
            series.add(key);
            family.samples.push(sample);
        }
    }
    for (const one of families.values()) checkFamily(one);
    return families;
}

function checkFamily(family) {
    assert.match(family.name, /^mcpgate_/);
    assert.equal(/_total$/.test(family.name), family.type === 'counter', family.name);
    for (const { name, value } of family.samples) {
        assert.ok(Number.isFinite(value) && value >= 0 && value < 2 ** 53, `${name} ${value}`);
        if (family.type === 'counter') assert.ok(Number.isInteger(value), name);
    }
    if (family.type === 'histogram') checkHistogram(family);
}

function checkHistogram({ name, samples }) {
    const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
    const ends = buckets.map(({ labels }) => (labels.le === '+Inf' ? Infinity : Number(labels.le)));
    const counts = buckets.map(({ value }) => value);
    assert.deepEqual(ends, [...ends].sort((a, b) => a - b));
    assert.equal(ends.at(-1), Infinity);
    assert.deepEqual(counts, [...counts].sort((a, b) => a - b), 'buckets add up');
    assert.equal(counts.at(-1), samples.find((sample) => sample.name === `${name}_count`).value);
    assert.ok(samples.find((sample) => sample.name === `${name}_sum`).value >= 0);
}

// Nothing that counts ever goes back, or away.
function checkMonotone(before, after) {
    for (const { type, name, samples } of before.values()) {
        if (type === 'gauge') continue;
        for (const sample of samples) {
            const now = valueOf(after, name, sample.labels, sample.name);
            assert.ok(now >= sample.value, `${sample.name} ${JSON.stringify(sample.labels)}: ${now} after ${sample.value}`);
        }
    }
}

const isWithin = (labels, wanted) => Object.entries(wanted).every(([name, value]) => labels[name] === value);

// The sum of all samples with these labels.
function valueOf(families, family, labels = {}, name = family) {
    assert.ok(families.has(family), `${family} is there`);
    return families.get(family).samples.filter((sample) => sample.name === name && isWithin(sample.labels, labels))
        .reduce((sum, { value }) => sum + value, 0);
}

// ---- traffic ----

const tool = (name, script) => ({ name, version: '1', description: name, command: ['/bin/sh', '-c', script], inputSchema: { type: 'object' } });
const FILES = {
    'schemas/widget.schema.json': { type: 'object', required: ['sku'] },
    'tools/slow.tool.json': tool('slow', 'while [ ! -e go ]; do sleep 0.02; done; echo "{}"'),
    'tools/crash.tool.json': tool('crash', 'exit 3'),
};
const ENV = { SYN_SCHEMAS_DIR: 'schemas', MCPGATE_TOOLS_DIR: 'tools', MCPGATE_LOG_DIR: 'runs' };
const ID = '3fd7d2b1-79d1-4b8e-92c8-105c1ce9b6f7';

async function scrape(server) {
    const { status, headers, text } = await get(server.port, '/metrics');
    assert.equal(status, 200);
    assert.match(headers['content-type'], /^text\/plain; version=0\.0\.4(;|$)/);
    const families = readMetrics(text);
    families.text = text;
    return families;
}

// Each dialect once well and once badly.
const MESSAGES = [
    request(1, 'list_schemas'), request(2, 'validate_asset', { schema: 7 }),
    request(ID, 'mcp.discover'), request(ID, 'mcp.tool.invoke', { toolId: 'mcp.tool:a"b\\c\n', arguments: {} }),
    request(3, 'tools/list'), request(4, 'tools/call', { name: 'crash', arguments: {} }),
    JSON.stringify({ schema_version: 'mcp.request.v0.1', tool: { name: 'list_schemas' }, params: {}, artifacts: [] }),
    JSON.stringify({ schema_version: 'mcp.request.v0.1', tool: { name: 'crash' }, params: {}, artifacts: [] }),
    JSON.stringify({ id: ID, version: '1.0.0', timestamp: '2026-01-02T03:04:05Z', tool: 'list_schemas', payload: {} }),
    JSON.stringify({ id: ID, version: '9.0.0', timestamp: '2026-01-02T03:04:05Z', tool: 'list_schemas', payload: {} }),
    '{', '[]',
];

async function askAll(server) {
    const peer = await server.connect();
    for (const text of MESSAGES) {
        await post(server.port, '/rpc', text);
        peer.socket.write(`${text}\n`);
        await peer.lines.next();
    }
    return peer;
}

test('every family is there, well formed, and moves', () => withHttp({ files: FILES, env: ENV }, async (server) => {
    const before = await scrape(server);
    const peer = await askAll(server);
    const after = await scrape(server);
    checkMonotone(before, after);
    for (const transport of ['http', 'socket']) {
        const moved = (family, labels) => valueOf(after, family, { transport, ...labels }) - valueOf(before, family, { transport, ...labels });
        for (const dialect of ['syn', 'env', 'mcp', 'policy', 'ref']) {
            assert.equal(moved('mcpgate_requests_total', { dialect }), 2, `${dialect} ${transport}`);
            assert.equal(moved('mcpgate_failures_total', { dialect }), 1, `${dialect} ${transport}`);
        }
        assert.equal(moved('mcpgate_requests_total', {}), MESSAGES.length);
    }
    const moved = (family, labels, name) => valueOf(after, family, labels, name) - valueOf(before, family, labels, name);
    assert.equal(moved('mcpgate_stage_failures_total', {}), moved('mcpgate_failures_total', {}));
    for (const stage of ['json', 'rpc', 'tool']) assert.ok(moved('mcpgate_stage_failures_total', { stage }) > 0, stage);
    assert.equal(moved('mcpgate_tool_requests_total', { tool: 'crash' }), 4);
    assert.equal(moved('mcpgate_tool_failures_total', { tool: 'crash' }), 4);
    assert.equal(moved('mcpgate_tool_requests_total', { tool: 'list_schemas' }) >= 6, true);
    assert.equal(moved('mcpgate_request_duration_seconds', {}, 'mcpgate_request_duration_seconds_count'), moved('mcpgate_requests_total', {}));
    assert.ok(moved('mcpgate_request_duration_seconds', {}, 'mcpgate_request_duration_seconds_sum') > 0);
    assert.equal(valueOf(after, 'mcpgate_connections', { transport: 'socket' }), 1);
    assert.equal(moved('mcpgate_connections_opened_total', { transport: 'socket' }), 1);
    assert.ok(moved('mcpgate_connections_opened_total', { transport: 'http' }) >= MESSAGES.length);
    assert.equal(moved('mcpgate_child_processes_started_total'), 4);
    const bytes = MESSAGES.reduce((sum, text) => sum + 2 * Buffer.byteLength(text), 0);
    assert.equal(moved('mcpgate_input_bytes_total'), bytes);
    assert.ok(moved('mcpgate_output_bytes_total') > bytes / 2);
    assert.ok(valueOf(after, 'mcpgate_loops') >= 1);
    assert.equal(valueOf(after, 'mcpgate_log_lines_lost_total'), 0);
    peer.socket.destroy();
    await until('no connection', async () => valueOf(await scrape(server), 'mcpgate_connections', { transport: 'socket' }) === 0);
}));

test('what is so now: requests that wait, programs, connections, the age of the snapshot', () => withHttp({ files: FILES, env: ENV }, async (server) => {
    const peers = [await server.connect(), await server.connect()];
    for (const peer of peers) peer.socket.write(`${request(1, 'tools/call', { name: 'slow', arguments: {} })}\n`);
    await until('two programs', async () => {
        const families = await scrape(server);
        return valueOf(families, 'mcpgate_child_processes') === 2 && valueOf(families, 'mcpgate_requests_waiting') === 2
            && valueOf(families, 'mcpgate_connections', { transport: 'socket' }) === 2;
    });
    server.write('tools/go', '');
    await Promise.all(peers.map((peer) => peer.lines.next()));
    const idle = await scrape(server);
    assert.equal(valueOf(idle, 'mcpgate_child_processes'), 0);
    assert.equal(valueOf(idle, 'mcpgate_requests_waiting'), 0);
    assert.equal(valueOf(idle, 'mcpgate_child_processes_started_total'), 2);
    await until('an age', async () => valueOf(await scrape(server), 'mcpgate_snapshot_age_seconds') > 1);
    server.kill('SIGHUP');
    await server.said(/mcp:reload/);
    await until('a new snapshot', async () => valueOf(await scrape(server), 'mcpgate_snapshot_age_seconds') < 1);
}));

test('lines the log lost are counted', () => withHttp({ files: { blocked: '' }, env: { MCPGATE_LOG_DIR: 'blocked/runs' } }, async (server) => {
    for (let i = 0; i < 5; i++) assert.equal((await post(server.port, '/rpc', request(i, 'ping'))).status, 200);
    await until('a loss', async () => valueOf(await scrape(server), 'mcpgate_log_lines_lost_total') === 5);
}));

const PROMTOOL = process.env.PROMTOOL ?? 'promtool';
const reason = spawnSync(PROMTOOL, ['--version']).status === 0 ? false : 'no promtool (Debian: prometheus)';

test('promtool has nothing to say', { skip: reason }, () => withHttp({ files: FILES, env: ENV }, async (server) => {
    (await askAll(server)).socket.destroy();
    const { text } = await scrape(server);
    const { status, stdout, stderr } = spawnSync(PROMTOOL, ['check', 'metrics'], { input: text, encoding: 'utf8' });
    assert.equal(stdout + stderr, '');
    assert.equal(status, 0);
}));
