// The server as a process: how it begins, ends, is killed, reloads, and what it leaves behind.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import path from 'node:path';
import { test } from 'node:test';
import { libraries, program, request, Server, sleep, soak, until, withServer } from './server.mjs';

const SCHEMA = { version: '1', type: 'object', properties: { n: { type: 'integer' } } };
const FILES = { 'schemas/part.schema.json': SCHEMA, 'examples/part.json': { n: 1 } };
const ROOTS = { SYN_SCHEMAS_DIR: 'schemas', SYN_EXAMPLES_DIR: 'examples' };
const ON_STDIO = { files: FILES, env: ROOTS };
const ON_SOCKET = { files: FILES, env: ROOTS, args: ['--socket', 's.sock'] };
const names = (answer) => answer.result.schemas.map((schema) => schema.name);

test('standard input: ready, an answer, end of input, nothing left', () => withServer(ON_STDIO, async (server) => {
    assert.deepEqual(names(await server.ask(1, 'list_schemas')), ['part']);
    await until('a ready file', () => fs.existsSync(server.ready));
    assert.match(fs.readFileSync(server.ready, 'utf8'), new RegExp(`^${server.child.pid} \\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ\\n$`));
    server.child.stdin.end();
    assert.equal(await server.exited, 0);
    assert.deepEqual(server.left(), []);
    assert.match(server.err.text, /^mcp:ready mode=stdio schemas_dir=schemas examples_dir=examples timestamp=\S+\nmcp:shutdown mode=stdio timestamp=\S+\n$/);
}));

test('answers lost on a full standard output: exit 1, and it says so', () => withServer(
    { ...ON_STDIO, command: ['sh', '-c', `exec ${program} >/dev/full`] },
    async (server) => {
        server.send(request(1, 'list_schemas'));
        assert.equal(await server.exited, 1);
        assert.match(server.err.text, /\nmcp:error reason=runtime_failed detail="answers on standard output were lost: No space left on device"\n$/);
        assert.deepEqual(server.left(), []);
    },
));

// A socket or a pipe that becomes descriptor 0 to 2 would get log lines, or could not be given to a program.
test('all three standard files closed: programs run, and clients get only answers', () => withServer({
    files: { 'tools/early.tool.json': { name: 'early', version: '1', description: 'early', command: ['/bin/echo', '{"a":1}'], inputSchema: { type: 'object' } } },
    env: { MCPGATE_TOOLS_DIR: 'tools' },
    command: ['sh', '-c', `exec ${program} --socket s.sock 0<&- 1>&- 2>&-`],
}, async (server) => {
    await until('a ready file', () => fs.existsSync(server.ready));
    for (const fd of process.getuid() === 0 ? [0, 1, 2] : []) { // others cannot see them
        assert.equal(fs.readlinkSync(`/proc/${server.child.pid}/fd/${fd}`), '/dev/null');
    }
    const peer = await server.connect();
    const { result } = await peer.ask(1, 'early');
    assert.ok(result, 'the program was run');
    server.kill('SIGTERM');
    assert.equal(await server.exited, 0);
}));

test('the reader of standard output is gone: the server ends, and its program with it', () => withServer({
    files: { 'tools/late.tool.json': { name: 'late', version: '1', description: 'late', command: ['/bin/sleep', '60'], timeout_ms: 60000, inputSchema: { type: 'object' } } },
    env: { MCPGATE_TOOLS_DIR: 'tools' },
}, async (server) => {
    server.send(request(1, 'late'));
    const running = () => fs.readFileSync(`/proc/${server.child.pid}/task/${server.child.pid}/children`, 'utf8').trim();
    await until('a program', running);
    server.child.stdout.destroy();
    assert.equal(await server.exited, 0);
}));

test('no input at all ends it', () => withServer({ ...ON_STDIO, stdin: 'ignore' }, async (server) => {
    assert.equal(await server.exited, 0);
}));

for (const signal of ['SIGINT', 'SIGTERM']) {
    test(`${signal} on a socket: exit 0, socket and ready file gone`, () => withServer(ON_SOCKET, async (server) => {
        const peer = await server.connect();
        assert.deepEqual(names(await peer.ask(1, 'list_schemas')), ['part']);
        await server.said(/mcp:ready mode=socket path=s\.sock schemas_dir=schemas/);
        server.kill(signal);
        assert.equal(await server.exited, 0);
        assert.deepEqual(server.left(), []);
    }));
}

test('what cannot be set up: exit 2, one line, nothing left', async () => {
    const wrong = [
        { env: { SYN_SCHEMAS_DIR: '/nowhere/at/all' } },
        { env: { MCP_MAX_BATCH: 'many' } },
        { env: { MCP_ENDPOINT: 'pigeon' } },
        { args: ['--socket', '/nowhere/at/all/s.sock'] },
        { args: ['--socket', 'taken'], files: { taken: 'x' } },
        { args: ['--stdio', '--socket', 's.sock'] },
    ];
    for (const options of wrong) {
        await withServer(options, async (server) => {
            assert.equal(await server.exited, 2);
            assert.match(server.err.text, /^mcp:error reason=setup_failed detail=[^\n]+\n$/);
            assert.equal(server.out.text, '');
            assert.deepEqual(server.left(), []);
        });
    }
});

test('a second server on the same socket is refused, the first goes on', () => withServer(ON_SOCKET, async (server) => {
    const peer = await server.connect();
    const second = new Server({ args: ['--socket', 's.sock'], dir: server.dir });
    assert.equal(await second.exited, 2);
    assert.match(second.err.text, /listens on this socket/);
    assert.deepEqual(names(await peer.ask(1, 'list_schemas')), ['part']);
    assert.ok((await server.connect()).socket);
}));

// A backend that never answers, so that a request stays in flight.
async function withSilence(work) {
    let seen = 0;
    const backend = http.createServer(() => { seen++; });
    await new Promise((resolve) => { backend.listen(0, '127.0.0.1', resolve); });
    try { return await work(`http://127.0.0.1:${backend.address().port}`, () => seen); } finally {
        backend.closeAllConnections?.();
        backend.close();
    }
}

test('the first signal waits for work in flight, the second does not', () => withSilence((url, seen) => withServer(
    { ...ON_SOCKET, env: { ...ROOTS, SYN_BACKEND_URL: url } },
    async (server) => {
        const peer = await server.connect();
        peer.socket.write(`${request(1, 'populate_backend', { asset: {}, validate_first: false })}\n`);
        await until('a request at the backend', () => seen() > 0);
        server.kill('SIGTERM');
        await sleep(300);
        assert.equal(server.status, undefined, 'it waits');
        const asked = Date.now();
        server.kill('SIGTERM');
        assert.equal(await server.exited, 0);
        assert.ok(Date.now() - asked < 3000, 'it ends at once');
        assert.deepEqual(server.left(), []);
    },
)));

test('a slow answer is finished and sent after SIGINT', async () => {
    const backend = http.createServer((_, answer) => setTimeout(() => answer.end('{"id":"late"}'), 500));
    await new Promise((resolve) => { backend.listen(0, '127.0.0.1', resolve); });
    const env = { ...ROOTS, SYN_BACKEND_URL: `http://127.0.0.1:${backend.address().port}` };
    await withServer({ ...ON_STDIO, env }, async (server) => {
        server.send(request(1, 'populate_backend', { asset: {}, validate_first: false }));
        await sleep(200);
        server.kill('SIGINT');
        assert.equal(await server.exited, 0);
        assert.equal(JSON.parse(server.out.text).result.asset_id, 'late');
    });
    backend.close();
});

test('what runs ten seconds after the end of input is given up', () => withServer({
    files: {
        'tools/late.tool.json': {
            name: 'late', version: '1', description: 'late', command: ['/bin/sleep', '60'], timeout_ms: 60000,
            inputSchema: { type: 'object' },
        },
    },
    env: { MCPGATE_TOOLS_DIR: 'tools' },
}, async (server) => {
    server.send(request(1, 'late'));
    server.child.stdin.end();
    const ended = Date.now();
    assert.equal(await server.exited, 0);
    assert.ok(Date.now() - ended > 8000 && Date.now() - ended < 30000, `${Date.now() - ended} ms`);
    assert.equal(server.out.text, '');
    assert.match(server.err.text, /\nmcp:warning reason=answers_lost detail="calls took longer than 10 seconds after the end of input"\nmcp:shutdown /);
    assert.deepEqual(server.left(), []);
}));

test('SIGHUP reads everything again; bad files are named and stay as they were', () => withServer(ON_SOCKET, async (server) => {
    const peer = await server.connect();
    server.write('schemas/new.schema.json', {});
    server.write('schemas/part.schema.json', '{"half":');
    assert.deepEqual(names(await peer.ask(1, 'list_schemas')), ['part']);
    server.kill('SIGHUP');
    await server.said(/mcp:reload schemas=2 examples=1 tools=\d+ skipped=1 timestamp=/);
    assert.match(server.err.text, /mcp:warning reason=file_skipped file=\S*part\.schema\.json detail=/);
    assert.deepEqual(names(await peer.ask(2, 'list_schemas')), ['new', 'part']);
    assert.equal((await peer.ask(3, 'validate_asset', { schema: 'part', asset: { n: 'x' } })).result.ok, false);
    fs.renameSync(path.join(server.dir, 'schemas'), path.join(server.dir, 'gone'));
    server.kill('SIGHUP');
    await server.said(/mcp:warning reason=reload_failed detail="SYN_SCHEMAS_DIR: schemas: /);
    assert.deepEqual(names(await peer.ask(4, 'list_schemas')), ['new', 'part']);
}));

test('--watch reads again by itself', () => withServer({ ...ON_STDIO, args: ['--watch'] }, async (server) => {
    assert.deepEqual(names(await server.ask(1, 'list_schemas')), ['part']);
    server.write('schemas/other.schema.json', {});
    await server.said(/mcp:reload schemas=2 /);
    assert.deepEqual(names(await server.ask(2, 'list_schemas')), ['other', 'part']);
    server.write('examples/deep/below/part.json', {});
    await server.said(/mcp:reload schemas=2 examples=2 /);
    server.write('examples/deep/below/part_2.json', {});
    await server.said(/mcp:reload schemas=2 examples=3 /);
    // A directory that takes the place of another is watched in its place.
    fs.renameSync(path.join(server.dir, 'schemas'), path.join(server.dir, 'before'));
    server.write('schemas/swapped.schema.json', {});
    await server.said(/mcp:reload schemas=1 /);
    server.write('schemas/more.schema.json', {});
    server.write('schemas/most.schema.json', {});
    await server.said(/mcp:reload schemas=3 /);
    assert.deepEqual(names(await server.ask(3, 'list_schemas')), ['more', 'most', 'swapped']);
}));

test('a listening socket is taken over', () => withServer({ files: FILES, command: ['true'] }, async (server) => {
    // Made here under another name: closing it here, lest this process accepts as well, removes that name.
    const made = path.join(server.dir, 'made.sock');
    const listener = net.createServer();
    await server.exited;
    await new Promise((resolve) => { listener.listen(made, resolve); });
    fs.renameSync(made, server.socket);
    const started = new Server({
        dir: server.dir,
        env: ROOTS,
        fds: [listener._handle.fd],
        command: ['sh', '-c', 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0"', program],
    });
    await new Promise((resolve) => { listener.close(resolve); });
    try {
        await started.said(/mcp:ready mode=socket path=\S+made\.sock /);
        const peer = await started.connect();
        assert.deepEqual(names(await peer.ask(1, 'list_schemas')), ['part']);
        started.kill('SIGTERM');
        assert.equal(await started.exited, 0);
        assert.ok(fs.existsSync(server.socket), 'the file is not ours to remove');
    } finally {
        await started.end();
    }
}));

test('whatever comes in, only frames go out', () => withServer(ON_STDIO, async (server) => {
    let state = 12345;
    const random = (below) => { state = (state * 1103515245 + 12345) % 2147483648; return Math.floor((state / 2147483648) * below); };
    const pieces = ['{', '}', '"id":', '1', ',', '"method":"validate"', '"jsonrpc":"2.0"', '\u0000', 'é', '[', ']', 'mcp:ready', '\\u00', '"params":{}', ' '];
    let sent = 0;
    for (let i = 0; i < 500; i++) {
        let line = '';
        for (let k = random(12); k >= 0; k--) line += pieces[random(pieces.length)];
        server.send(line);
        sent += line.trim() !== '';
    }
    const last = await new Promise((resolve) => {
        server.send(request('last', 'list_schemas'));
        resolve(until('the last answer', () => server.out.text.includes('"last"')));
    });
    assert.ok(last);
    server.child.stdin.end();
    assert.equal(await server.exited, 0);
    const lines = server.out.text.split('\n');
    assert.equal(lines.pop(), '');
    for (const line of lines) assert.equal(JSON.parse(line).jsonrpc, '2.0');
    assert.ok(lines.length <= sent + 1);
    for (const line of server.err.text.trimEnd().split('\n')) assert.match(line, /^mcp:/);
}));

const ROUNDS = soak ? 1000 : 50;

test(`${ROUNDS} times SIGTERM at any moment: exit 0 or not yet begun, nothing left`, async () => {
    const server = new Server({ files: FILES, command: ['true'] });
    await server.exited;
    for (let i = 0; i < ROUNDS; i++) {
        const one = new Server({ ...ON_SOCKET, files: {}, dir: server.dir });
        await sleep(Math.random() * 30);
        one.kill('SIGTERM');
        const status = await one.exited;
        const ready = /mcp:ready/.test(one.err.text);
        assert.ok(status === 0 || (status === 'SIGTERM' && !ready), `round ${i}: exit ${status}, ${one.err.text}`);
        assert.deepEqual(one.left(), [], `round ${i}`);
    }
    await server.end();
});

test(`${ROUNDS} times SIGKILL at any moment: the next one starts all the same`, async () => {
    const server = new Server({ files: FILES, command: ['true'] });
    await server.exited;
    for (let i = 0; i < ROUNDS; i++) {
        const one = new Server({ ...ON_SOCKET, files: {}, dir: server.dir });
        await sleep(Math.random() * 30);
        one.kill('SIGKILL');
        assert.equal(await one.exited, 'SIGKILL', one.err.text);
    }
    const last = new Server({ ...ON_SOCKET, files: {}, dir: server.dir });
    assert.deepEqual(names(await (await last.connect()).ask(1, 'list_schemas')), ['part']);
    last.kill('SIGTERM');
    assert.equal(await last.exited, 0);
    assert.deepEqual(last.left().filter((name) => name === 's.sock' || name === 'ready'), []);
    await last.end();
});

// Times on a shared machine say little; what an empty program of the peers' kind takes there says how much.
function emptyNodeMs() {
    const { user, system } = JSON.parse(
        execFileSync(process.execPath, ['-e', 'console.log(JSON.stringify(process.cpuUsage()))'], { encoding: 'utf8' }),
    );
    return (user + system) / 1000;
}

test('the first answer costs little', async (t) => {
    const costs = [];
    let sanitized = false;
    for (let i = 0; i < 9; i++) {
        await withServer(ON_STDIO, async (server) => {
            await server.ask(1, 'list_schemas');
            const status = fs.readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
            sanitized = /lib[atu]\w*san/.test(libraries(server.child.pid));
            const [onProcessor] = fs.readFileSync(`/proc/${server.child.pid}/schedstat`, 'utf8').split(' ');
            costs.push({ kib: Number(/VmRSS:\s+(\d+)/.exec(status)[1]), ms: Number(onProcessor) / 1e6, nodeMs: emptyNodeMs() });
        });
    }
    if (sanitized) return t.skip('a build with sanitizers');
    const least = (what) => Math.min(...costs.map((cost) => cost[what]));
    assert.ok(least('kib') < 10240, `${least('kib')} KiB`);
    assert.ok(least('ms') < least('nodeMs') / 10, `${least('ms')} ms; an empty node takes ${least('nodeMs')} ms`);
});
