// The structured log as a process writes it: whole lines whatever comes in, disks that are read-only or gone, the same
// line for the same message on every transport; and `mcpgate log`, which shows it.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { post, withHttp } from './http_client.mjs';
import { program, request, sleep, until, withServer } from './server.mjs';

const FOLDER = 'runs/mcp_server/envelope_validation';
const ENV = { MCPGATE_LOG_DIR: 'runs' };
const FIELDS = [
    'ts', 'agentId', 'taskId', 'stepId', 'transport', 'route', 'method', 'traceId', 'spanId', 'requestId', 'status', 'durationMs',
    'attempt', 'inputBytes', 'outputBytes', 'metadata', 'error', 'stage',
];

// The log's thread makes the folder when it has a line: maybe after the answer.
function filesOf(server) {
    const folder = path.join(server.dir, FOLDER);
    return fs.existsSync(folder) ? fs.readdirSync(folder).filter((name) => name.endsWith('.jsonl')).sort() : [];
}
const textOf = (server) => filesOf(server).map((name) => fs.readFileSync(path.join(server.dir, FOLDER, name), 'utf8')).join('');

// All lines of all files. Each is JSON with the fields of a log line, and has no other line end in it.
function linesOf(server) {
    // text after the last line break is still being written
    return textOf(server).split('\n').slice(0, -1).map((line) => {
        assert.doesNotMatch(line, /[\u0000-\u001f\u0085\u2028\u2029]/u, 'a line for every program that reads it');
        const event = JSON.parse(line);
        assert.deepEqual(Object.keys(event).filter((name) => name !== 'queuedMs'), FIELDS); // only of those that waited
        assert.ok(Buffer.byteLength(line) <= 32768, 'a line has its limit');
        return event;
    });
}

const untilLines = (server, count) => until(`${count} lines`, () => linesOf(server).length >= count && linesOf(server));

async function stop(server) {
    server.child.stdin.end();
    assert.equal(await server.exited, 0);
}

// ---- what comes in ----

// The helper checks every line of every test against log.event.schema.json when its server ends.
test('errors of tools and refusals of HTTP fit the schema of log lines', async () => {
    const answers = {
        blank: '{"schema_version":"mcp.envelope.v0.1","result":null,"errors":[{"code":"","message":""}]}',
        odd: '{"schema_version":"mcp.envelope.v0.1","result":null,"errors":[{"code":"Ä b/C-7.x","message":"m"}]}',
        bare: '{"ok":false}',
    };
    const files = Object.fromEntries(Object.entries(answers).map(([name, text]) => [`tools/${name}.tool.json`, {
        name, version: '1', description: 'x', command: ['/bin/sh', '-c', `echo '${text}'; exit ${name === 'bare' ? 0 : 3}`],
        inputSchema: { type: 'object' },
    }]));
    const env = { ...ENV, MCPGATE_TOOLS_DIR: 'tools' };
    await withServer({ env, files }, async (server) => {
        for (const name of Object.keys(answers)) await server.ask(1, name, {});
        await server.ask(1, 'tools/list', { _meta: { agentId: 7, taskId: 1e3 } });
        const statuses = (await untilLines(server, 4)).map(({ status }) => status);
        assert.deepEqual(statuses.slice(0, 3), ['execution_failed', '___b_c-7.x', 'failed']);
    });
    await withHttp({ env: ENV }, async (server) => {
        await post(server.port, '/healthz', '{}');
        const [line] = await untilLines(server, 1);
        assert.deepEqual([line.status, line.error.code], ['http_405', 'HTTP_405']);
    });
});

test('one line for each message, whatever it holds', () => withServer({ env: ENV }, async (server) => {
    const nasty = 'a\nb\r\n\u2028\u2029\u0085\u0000\u0007\u001b[31m\u007f"\\{}';
    const long = 'x'.repeat(1000 * 1000);
    const messages = [nasty, long, '\u{1F600}'.repeat(200), 'é'.repeat(129)].flatMap((text) => [
        request(1, text), request(text, 'list_schemas'), request(2, 'get_schema', { name: text }),
        request(3, 'tools/call', { name: text, arguments: { [text]: 1 } }), request(text, 'mcp.tool.invoke', { toolId: text, arguments: {} }),
        request(4, 'tools/list', { _meta: { agentId: text, taskId: text, stepId: text, traceparent: text } }),
        JSON.stringify({ schema_version: 'mcp.request.v0.1', tool: { name: text }, params: { [text]: text }, artifacts: [] }),
        JSON.stringify({ id: text, version: text, timestamp: text, tool: text, payload: { [text]: text }, trace_id: text }),
        JSON.stringify({ [text]: text }), JSON.stringify([text]), JSON.stringify(text),
    ]).filter((text) => Buffer.byteLength(text) <= 1048576);
    const bytes = [
        Buffer.from([0xff, 0xfe, 0x22]), Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xc3\x28"}', 'latin1'),
        Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\\ud800"}'), Buffer.from('\u2028\u0000{'), Buffer.alloc(1048577, 0x41),
    ];
    for (const message of [...messages.map((text) => Buffer.from(text)), ...bytes]) {
        server.child.stdin.write(message);
        server.send('');
        await server.out.next();
    }
    await stop(server);
    const lines = linesOf(server);
    assert.equal(lines.length, messages.length + bytes.length);
    for (const { method, agentId, error } of lines) {
        for (const text of [method, agentId, error?.message]) assert.ok(Buffer.byteLength(text ?? '') <= 256, text);
    }
}));

test('a negative verdict is an answer, a failing program is not', () => withServer({
    files: {
        'tools/crash.tool.json': { name: 'crash', version: '1', description: 'd', command: ['/bin/false'], inputSchema: { type: 'object' } },
        'schemas/widget.schema.json': { required: ['sku'] },
    },
    env: { ...ENV, MCPGATE_TOOLS_DIR: 'tools', SYN_SCHEMAS_DIR: 'schemas' },
}, async (server) => {
    await server.ask(1, 'validate_asset', { schema: 'widget', asset: {} });
    await server.ask(2, 'tools/call', { name: 'crash', arguments: {} });
    await server.ask(3, 'crash', {});
    await stop(server);
    const [verdict, mcp, syn] = linesOf(server);
    assert.equal(verdict.status, 'ok');
    assert.equal(mcp.status, 'adapter.execution.failed');
    assert.deepEqual(mcp.error, { code: 'ADAPTER.EXECUTION.FAILED', message: 'Tool execution failed with exit code 1.', details: null });
    assert.equal(mcp.stage, 'tool');
    assert.equal(syn.status, 'execution_failed');
}));

// ---- the same on every transport ----

const ID = '3fd7d2b1-79d1-4b8e-92c8-105c1ce9b6f7';
const META = { agentId: 'agent', taskId: 'task', stepId: 3, attempt: 2 };
const TRACEPARENT = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const policy = (name, params) => JSON.stringify({ schema_version: 'mcp.request.v0.1', tool: { name }, params, artifacts: [] });
const ref = (more) => JSON.stringify({ id: ID, version: '1.0.0', timestamp: '2026-01-02T03:04:05Z', tool: 'list_schemas', payload: {}, ...more });
const SAME = [
    request(ID, 'mcp.discover'), request(ID, 'mcp.discover', { _meta: META }), request(ID, 'mcp.prompt.get', { promptId: 'none' }),
    request(ID, 'mcp.tool.invoke', { toolId: 'mcp.tool:list_schemas', arguments: {}, _meta: META }),
    request(ID, 'mcp.tool.invoke', { toolId: 'mcp.tool:none', arguments: {} }),
    request(ID, 'mcp.tool.invoke', { toolId: 'mcp.tool:get_schema', arguments: { name: 7 } }),
    request('', 'mcp.tool.invoke', { toolId: 'mcp.tool:list_schemas', arguments: {} }), request(ID, 'mcp.nothing'),
    policy('list_schemas', {}), policy('list_schemas', { _meta: { ...META, capture_provenance: true, traceparent: TRACEPARENT } }),
    policy('none', {}), policy('crash', {}), policy('get_schema', { name: 7 }), JSON.stringify({ schema_version: 'mcp.request.v0.1' }),
    ref({}), ref({ context: { agent_id: 'a', task_id: 't', step_id: 's' }, trace_id: 'trace-9ab213ef' }), ref({ tool: 'none' }),
    ref({ version: '2.0.0' }), ref({ tool: 'crash' }), ref({ tool: 'get_schema', payload: { name: 7 } }), ref({ id: undefined }),
    request(1, 'list_schemas'), request(2, 'validate_asset', { schema: 'none', asset: {} }), request(3, 'none'),
    request(4, 'tools/list'), request(5, 'tools/call', { name: 'crash', arguments: {} }), request(6, 'tools/call', { name: 'none' }), request(7, 'no/such'),
    '{', '[]', '{"jsonrpc":"2.0","id":1}',
];
const SAME_OPTIONS = {
    files: { 'tools/crash.tool.json': { name: 'crash', version: '1', description: 'd', command: ['/bin/false'], inputSchema: { type: 'object' } } },
    env: { ...ENV, MCPGATE_TOOLS_DIR: 'tools', MCPGATE_THREADS: '1' },
};

// What may differ: time and duration, the transport, and an answer that contains them.
const comparable = ({ ts, durationMs, queuedMs, transport, outputBytes, ...rest }, text) => ({ ...rest, outputBytes: /"version":"/.test(text) ? undefined : outputBytes });

function checkTimes({ ts, durationMs }) {
    assert.match(ts, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    assert.ok(Math.abs(Date.parse(ts) - Date.now()) < 60000);
    assert.ok(durationMs >= 0 && durationMs < 60000);
}

test('the same message has the same log line on every transport', async () => {
    const byTransport = {};
    await withServer(SAME_OPTIONS, async (server) => {
        for (const text of SAME) { server.send(text); await server.out.next(); }
        await stop(server);
        byTransport.stdio = linesOf(server);
    });
    await withHttp(SAME_OPTIONS, async (server) => {
        const peer = await server.connect();
        for (const text of SAME) { peer.socket.write(`${text}\n`); await peer.lines.next(); }
        byTransport.socket = await untilLines(server, SAME.length);
    });
    await withHttp(SAME_OPTIONS, async (server) => {
        for (const text of SAME) await post(server.port, '/rpc', text);
        byTransport.http = await untilLines(server, SAME.length);
    });
    for (const [transport, lines] of Object.entries(byTransport)) {
        assert.equal(lines.length, SAME.length, transport);
        lines.forEach((line, i) => {
            assert.equal(line.transport, transport);
            assert.equal(line.inputBytes, Buffer.byteLength(SAME[i]), SAME[i]);
            checkTimes(line);
            assert.deepEqual(comparable(line, SAME[i]), comparable(byTransport.stdio[i], SAME[i]), `${transport}: ${SAME[i]}`);
        });
    }
    const traced = byTransport.http.find((line) => line.traceId === '0af7651916cd43dd8448eb211c80319c');
    assert.equal(traced.spanId, 'b7ad6b7169203331');
    assert.ok(byTransport.http.some(({ agentId, taskId, stepId, attempt }) => agentId === 'agent' && taskId === 'task' && stepId === 3 && attempt === 2));
});

// ---- files ----

test('files follow each other by size, five stay, .latest leads to the newest, all lines are whole', () => withServer(
    { env: { ...ENV, MCPGATE_LOG_MAX_BYTES: '4096' } },
    async (server) => {
        for (let i = 0; i < 100; i++) await server.ask(i, 'list_schemas');
        await stop(server);
        const files = filesOf(server);
        assert.equal(files.length, 5);
        for (const file of files) assert.ok(fs.statSync(path.join(server.dir, FOLDER, file)).size <= 4096);
        assert.equal(fs.readlinkSync(path.join(server.dir, FOLDER, '.latest')), files.at(-1));
        assert.ok(linesOf(server).length > 10);
        assert.equal(fs.statSync(path.join(server.dir, FOLDER, files[0])).mode & 0o777, 0o640);
    },
));

test('a log directory that is removed is made again', () => withServer({ env: ENV }, async (server) => {
    await server.ask(1, 'list_schemas');
    await untilLines(server, 1);
    fs.rmSync(path.join(server.dir, 'runs'), { recursive: true });
    assert.equal((await server.ask(2, 'list_schemas')).id, 2);
    await until('another file', () => linesOf(server).length === 1);
    await stop(server);
    assert.doesNotMatch(server.err.text, /log_lost/);
}));

const stampOf = (name) => new RegExp(`reason=${name}`, 'g');
const countOf = (server, name) => (server.err.text.match(stampOf(name)) ?? []).length;

test('no directory to write to at the start: answers go on, it is said once, and found when it is there', () => withServer(
    { files: { blocked: '' }, env: { MCPGATE_LOG_DIR: 'blocked/runs' } },
    async (server) => {
        for (let i = 0; i < 20; i++) assert.equal((await server.ask(i, 'list_schemas')).id, i);
        await server.said(/reason=log_lost/);
        assert.equal(countOf(server, 'log_lost'), 1);
        fs.rmSync(path.join(server.dir, 'blocked'));
        await until('recovery', async () => { await server.ask(1, 'list_schemas'); return countOf(server, 'log_recovered'); });
        assert.match(server.err.text, /reason=log_recovered lost=(2\d|[3-9]\d|\d{3,})/);
        await stop(server);
        assert.ok(fs.existsSync(path.join(server.dir, 'blocked', FOLDER)));
    },
));

// A file system of its own for the log, in a mount namespace of its own: needs root.
const canMount = spawnSync('unshare', ['-m', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0;
const skip = canMount ? false : 'needs unshare and the right to mount';
const MOUNTED = {
    files: { 'runs/.keep': '' },
    env: ENV,
    command: ['unshare', '-m', '--propagation', 'private', 'sh', '-c', 'mount -t tmpfs tmpfs runs && exec "$0"', program],
};
function inside(server, script) {
    const { stdout } = spawnSync('nsenter', ['-t', `${server.child.pid}`, '-m', 'sh', '-c', `cd ${server.dir} && ${script}`], { encoding: 'utf8' });
    return stdout;
}
const readInside = (server) => inside(server, `cat ${FOLDER}/*.jsonl`);

test('a disk that becomes read-only: answers go on, it is said once, and told when it is well again', { skip }, () => withServer(MOUNTED, async (server) => {
    await server.ask(1, 'list_schemas');
    await until('a line', () => /list_schemas/.test(readInside(server)));
    inside(server, 'rm -r runs/* && mount -t tmpfs -o ro tmpfs runs');
    await until('a loss', async () => { assert.equal((await server.ask(1, 'list_schemas')).id, 1); return countOf(server, 'log_lost'); });
    inside(server, 'umount runs');
    await until('recovery', async () => { await server.ask(1, 'list_schemas'); return countOf(server, 'log_recovered'); });
    assert.equal(countOf(server, 'log_lost'), 1);
}));

// ---- mcpgate log ----

const CALLED = 40;
const show = (server, ...words) => spawnSync(program, ['log', ...words], { cwd: server.dir, encoding: 'utf8', env: { PATH: process.env.PATH } });

test('mcpgate log shows what the server writes, and follows it from file to file', () => withServer(
    { env: { ...ENV, MCPGATE_LOG_MAX_BYTES: '4096' } },
    async (server) => {
        await server.ask(1, 'list_schemas');
        await server.ask(2, 'nothing_here');
        await untilLines(server, 2);
        const all = show(server);
        assert.equal(all.status, 0);
        assert.match(all.stdout, /^\S+Z {2}ok .* stdio {3}list_schemas {2}list_schemas\n\S+Z {2}unsupported .*nothing_here.*tool not implemented.*\n$/);
        assert.equal(show(server, '--failures').stdout.split('\n').length, 2);
        assert.equal(show(server, '--since', '2999').stdout, '');
        assert.equal(show(server, '--since', 'yesterday').status, 2);
        const follower = spawn(program, ['log', '--follow', 'runs'], { cwd: server.dir, env: { PATH: process.env.PATH } });
        let shown = '';
        follower.stdout.on('data', (bytes) => { shown += bytes; });
        try {
            await until('what there is', () => /nothing_here/.test(shown));
            for (let i = 0; i < CALLED; i++) {
                await server.ask(i, `called_${i}`);
                if (i % 20 === 19) await until(`called_${i}`, () => shown.includes(`called_${i} `));
            }
            assert.equal(filesOf(server).length, 5);
            fs.rmSync(path.join(server.dir, 'runs'), { recursive: true });
            await sleep(300);
            await server.ask(99, 'made_again');
            await until('the new directory', () => /made_again/.test(shown));
            follower.kill('SIGINT');
        } finally {
            follower.kill('SIGKILL');
        }
        assert.equal(shown.split('\n').length, 2 + CALLED + 1 + 1);
    },
));
