// Programs as tools, under fire: many at once, killed, late, flooding, given up on.
// Afterwards every caller has its answer, and the server neither child nor descriptor too many.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import test from 'node:test';

import { descriptors, libraries, program, request, Server, sleep, soak, until, withServer } from './server.mjs';

const CALLS = soak ? 10000 : 300;
const AT_ONCE = 64;

const programs = {
    echo: ['cat'],
    text: ['echo hello'],
    crash: ['echo half; exit 7'],
    suicide: ['kill -KILL $$'],
    late: ['sleep 30', { timeout_ms: 50 }],
    deaf: ["trap '' TERM; while :; do sleep 1; done", { timeout_ms: 50 }],
    flood: ['yes', { max_output_bytes: 4096 }],
    noisy: ['yes | head -c 300000 >&2; echo "{}"'],
    litter: ['sleep 300 & echo "{}"'],
    slow: ['sleep 0.2; echo "{}"'],
    gone: null,
};

function files() {
    const all = {};
    for (const [name, script] of Object.entries(programs)) {
        all[`tools/${name}.tool.json`] = {
            name, version: '1', description: name, command: [`./${name}.sh`], inputSchema: { type: 'object' }, ...script?.[1],
        };
        if (script) all[`tools/${name}.sh`] = `#!/bin/sh\n${script[0]}\n`;
    }
    return all;
}

function makeServer(options = {}) {
    const server = new Server({
        files: files(),
        command: ['/bin/sh', '-c', 'chmod +x tools/*.sh && exec "$@"', 'sh', program, ...(options.args ?? [])],
        ...options,
        env: { MCPGATE_TOOLS_DIR: 'tools', ...options.env },
    });
    return server;
}

const socketArgs = ['serve', '--socket', 's.sock'];
const children = (pid) => fs.readdirSync(`/proc/${pid}/task`)
    .flatMap((task) => fs.readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean));

async function idle(server, baseline) {
    await until('no child', () => children(server.child.pid).length === 0);
    await until(`${baseline} descriptors`, () => descriptors(server.child.pid) <= baseline);
}

// A peer that has many calls in flight and knows which of them must be answered.
class Caller {
    constructor(peer) {
        this.peer = peer;
        this.due = new Map();
        this.text = '';
        this.answered = 0;
        peer.socket.on('data', (bytes) => this.take(bytes));
    }
    take(bytes) {
        this.text += bytes;
        const lines = this.text.split('\n');
        this.text = lines.pop();
        for (const line of lines) {
            const answer = JSON.parse(line);
            const name = this.due.get(answer.id);
            if (name === undefined) continue; // given up, and answered before that was read
            this.due.delete(answer.id);
            this.answered++;
            check(name, answer);
        }
    }
    call(id, name) {
        this.due.set(id, name);
        this.peer.socket.write(`${request(id, 'tools/call', { name, arguments: { n: id } })}\n`);
    }
    cancel(id) {
        this.due.delete(id);
        this.peer.socket.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } })}\n`);
    }
}

const texts = {
    crash: /exit code 7|signal/, suicide: /signal 9/, late: /longer than 50 ms|signal/, deaf: /longer than 50 ms|signal/,
    flood: /larger than 4096 bytes|signal/, gone: /was not found|signal/, // killed before it could fail
};

function check(name, answer) {
    const text = answer.result.content[0].text;
    if (texts[name]) {
        assert.equal(answer.result.isError, true, name);
        assert.match(text, texts[name]);
    } else if (answer.result.isError) {
        assert.match(text, /signal/, name); // one of those we killed
    } else if (name === 'echo') {
        assert.deepEqual(answer.result.structuredContent, { n: answer.id });
    } else if (name === 'text') {
        assert.equal(text, 'hello\n');
        assert.equal(answer.result.structuredContent, undefined);
    }
}

function killOne(server) {
    const all = children(server.child.pid);
    const victim = all[Math.floor(Math.random() * all.length)];
    if (!victim) return 0;
    try { process.kill(Number(victim), 'SIGKILL'); return 1; } catch { return 0; /* it was faster */ }
}

test(`${CALLS} calls, ${AT_ONCE} at once, with kills, floods and cancellations`, { timeout: soak ? 1800000 : 120000 }, async (t) => {
    const server = makeServer({ args: socketArgs });
    const began = Date.now();
    try {
        const callers = [];
        for (let i = 0; i < 8; i++) callers.push(new Caller(await server.connect()));
        callers[0].call(0, 'echo');
        await until('the first answer', () => callers[0].answered === 1);
        await until('no child', () => children(server.child.pid).length === 0);
        const baseline = descriptors(server.child.pid);
        const names = Object.keys(programs);
        let asked = 0;
        let cancelled = 0;
        let killed = 0;
        const inFlight = () => callers.reduce((sum, caller) => sum + caller.due.size, 0);
        while (asked < CALLS) {
            while (asked < CALLS && inFlight() < AT_ONCE) {
                const caller = callers[asked % callers.length];
                const name = names[Math.floor(Math.random() * names.length)];
                caller.call(++asked, name);
                if (asked % 17 === 0) { caller.cancel(asked); cancelled++; }
            }
            if (Math.random() < 0.2) killed += killOne(server);
            await sleep(2);
        }
        await until('all answers', () => inFlight() === 0);
        assert.equal(callers.reduce((sum, caller) => sum + caller.answered, 0), asked - cancelled + 1);
        await idle(server, baseline);
        t.diagnostic(`soak: ${asked} calls in ${Math.round((Date.now() - began) / 1000)} s, ${cancelled} cancelled, ${killed} killed; `
            + `${children(server.child.pid).length} children left; descriptors ${baseline} before, ${descriptors(server.child.pid)} after`);
        server.kill('SIGTERM');
        assert.equal(await server.exited, 0);
    } finally {
        await server.end();
    }
});

test('a peer that leaves takes its programs along', async () => {
    const server = makeServer({ args: socketArgs });
    try {
        const peer = await server.connect();
        await until('readiness', () => fs.existsSync(server.ready));
        const baseline = descriptors(server.child.pid);
        for (let i = 0; i < 10; i++) peer.socket.write(`${request(i, 'tools/call', { name: 'litter', arguments: {} })}\n`);
        peer.socket.write(`${request(99, 'tools/call', { name: 'slow', arguments: {} })}\n`);
        await until('children', () => children(server.child.pid).length > 0);
        peer.socket.destroy();
        await idle(server, baseline);
    } finally {
        await server.end();
    }
});

test('shutdown lets a program finish', async () => {
    const server = makeServer({ args: socketArgs });
    try {
        const peer = await server.connect();
        peer.socket.write(`${request(1, 'tools/call', { name: 'slow', arguments: {} })}\n`);
        await until('a child', () => children(server.child.pid).length > 0);
        server.kill('SIGTERM');
        assert.equal(JSON.parse(await peer.lines.next()).id, 1);
        assert.equal(await server.exited, 0);
    } finally {
        await server.end();
    }
});

test('reload: new calls see the new descriptor, running ones keep theirs', async () => {
    const server = makeServer({ args: socketArgs });
    try {
        const peer = await server.connect();
        const slow = peer.ask(1, 'tools/call', { name: 'slow', arguments: {} });
        await until('a child', () => children(server.child.pid).length > 0);
        server.write('tools/text.sh', '#!/bin/sh\necho changed\n');
        server.write('tools/slow.tool.json', {
            name: 'slow', version: '2', description: 'other', command: ['./text.sh'], inputSchema: { type: 'object' },
        });
        server.kill('SIGHUP');
        await server.said(/mcp:reload/);
        assert.deepEqual((await slow).result.structuredContent, {});
        const other = await peer.ask(2, 'tools/call', { name: 'slow', arguments: {} });
        assert.equal(other.result.content[0].text, 'changed\n');
    } finally {
        await server.end();
    }
});

test('the same failure through the bare method name', async () => {
    await withServer({
        files: files(), env: { MCPGATE_TOOLS_DIR: 'tools' },
        command: ['/bin/sh', '-c', 'chmod +x tools/*.sh && exec "$@"', 'sh', program],
    }, async (server) => {
        const answer = await server.ask(1, 'crash', {});
        assert.deepEqual(answer.result, {
            ok: false, reason: 'execution_failed', detail: 'Tool execution failed with exit code 7.',
            error: { code: 'ADAPTER.EXECUTION.FAILED', message: 'Tool execution failed with exit code 7.', details: { exit_code: 7 } },
            partial: 'half\n',
        });
    });
});

// Ask a tool with a script through an envelope; @returns the answer.
async function wrap(script, descriptor, more = {}) {
    const tool = { name: 't', description: 'd', command: ['./t.sh'], inputSchema: { type: 'object' }, ...descriptor };
    return withServer({
        files: { 'tools/t.tool.json': tool, 'tools/t.sh': `#!/bin/sh\n${script}\n` }, env: { MCPGATE_TOOLS_DIR: 'tools' },
        command: ['/bin/sh', '-c', 'chmod +x tools/*.sh && exec "$@"', 'sh', program],
    }, async (server) => {
        server.send(JSON.stringify({ schema_version: 'mcp.request.v0.1', tool: { name: 't' }, params: {}, artifacts: [], ...more }));
        return JSON.parse(await server.out.next());
    });
}

test('the record of a program without a version says so', async () => {
    const asked = { params: { _meta: { capture_provenance: true } } };
    assert.equal((await wrap('echo 1', {}, asked)).provenance.tool.version, 'unknown');
    assert.equal((await wrap('echo 1', { version: '3' }, asked)).provenance.tool.version, '3');
});

test('a request may want less output than the descriptor allows', async () => {
    const answer = await wrap('yes', { version: '1' }, { preferences: { max_output_bytes: 6 } });
    assert.deepEqual(answer.errors, [{ code: 'ADAPTER.OUTPUT.TOO_LARGE', message: 'Tool output is larger than 6 bytes.', details: { limit_bytes: 6 } }]);
    assert.equal(answer.result, 'y\ny\ny\n');
    assert.deepEqual(await wrap('printf 12', { version: '1' }, { preferences: { max_output_bytes: 2 } }), { schema_version: 'mcp.envelope.v0.1', result: 12 });
});

test('an envelope must be valid where it is declared, and its errors must be errors', async () => {
    const put = (members, status) => `echo '${JSON.stringify({ schema_version: 'mcp.envelope.v0.1', ...members })}'; exit ${status}`;
    const declared = await wrap(put({ result: 5, extra: 1 }, 0), { version: '1', output: 'envelope' });
    assert.equal(declared.result, 5);
    assert.equal(declared.errors[0].code, 'ADAPTER.OUTPUT.INVALID');
    for (const output of ['envelope', undefined]) {
        const failed = await wrap(put({ result: 5, errors: ['text'] }, 3), { version: '1', output });
        assert.deepEqual(failed, {
            schema_version: 'mcp.envelope.v0.1', result: 5,
            errors: [{ code: 'ADAPTER.EXECUTION.FAILED', message: 'Tool execution failed with exit code 3.', details: { exit_code: 3 } }],
        });
    }
    const own = { schema_version: 'mcp.envelope.v0.1', result: 5, errors: [{ code: 'OWN', message: 'mine' }] };
    assert.deepEqual(await wrap(put(own, 3), { version: '1', output: 'envelope' }), own);
});

const LOOK = `cat >/dev/null
readlink /proc/$$/fd/* | grep /secret
tr '\\0' '\\n' </proc/$PPID/environ | grep -a -i canary
env | grep -i canary
tr '\\0' '\\n' </proc/$PPID/cmdline | grep -a -i canary
grep NoNewPrivs /proc/self/status
exit 0`;

// A program that tells what it can see of the server; @returns the lines it wrote.
async function look(descriptor, options = {}) {
    const tool = { name: 'look', version: '1', description: 'd', command: ['./look.sh'], inputSchema: { type: 'object' }, output: 'text', ...descriptor };
    return withServer({
        files: { 'tools/look.tool.json': tool, 'tools/look.sh': `#!/bin/sh\n${LOOK}\n`, secret: 'x' },
        command: ['/bin/sh', '-c', 'chmod +x tools/*.sh && exec 7<secret && exec "$@"', 'sh', program, ...(options.args ?? [])],
        env: { MCPGATE_TOOLS_DIR: 'tools', MCPGATE_TOKEN: 'canary-token', SYN_BACKEND_URL: 'http://user:canary@127.0.0.1:9/' },
    }, async (server) => {
        const answer = await server.ask(1, 'tools/call', { name: 'look', arguments: {} });
        return answer.result.content[0].text.trim().split('\n').map((line) => line.replace(/\s+/g, ' '));
    });
}

test('a program sees no descriptor and no secret of the server', async () => {
    assert.deepEqual(await look({}), ['NoNewPrivs: 1']);
    assert.deepEqual(await look({ environment: ['MCPGATE_TOKEN', 'SYN_BACKEND_URL'] }), ['NoNewPrivs: 1'], 'asked for by name');
    assert.deepEqual(await look({}, { args: ['--token', 'canary-option'] }), ['NoNewPrivs: 1'], 'as an option');
});

test('a program may gain privileges when its descriptor says so', async () => {
    const ours = /NoNewPrivs:\s+(\d)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1];
    assert.deepEqual(await look({ new_privileges: true }), [`NoNewPrivs: ${ours}`]);
});

test('new_privileges that comes with a reload needs a restart, and says so', async () => {
    const server = makeServer({ args: socketArgs });
    try {
        await server.said(/mcp:ready/);
        server.write('tools/text.tool.json', {
            name: 'text', version: '1', description: 'd', command: ['./text.sh'], inputSchema: { type: 'object' }, new_privileges: true,
        });
        server.kill('SIGHUP');
        await server.said(/mcp:warning reason=restart_needed tool=text/);
    } finally {
        await server.end();
    }
});

const NOBODY = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--inh-caps=-all'];
const asNobody = (...command) => spawnSync(NOBODY[0], [...NOBODY.slice(1), ...command]);
const skip = asNobody(program, '--version').status === 0 ? false : 'cannot run the program as another user';

test('another process of the same user cannot read the memory of the server', { skip }, async () => {
    await withServer({ command: [...NOBODY, program], env: { MCP_READY_FILE: '' } }, async (server) => {
        await server.ask(1, 'ping');
        const reader = asNobody('cat', `/proc/${server.child.pid}/environ`);
        if (!/san\.so/.test(libraries(server.child.pid))) assert.match(reader.stderr.toString(), /Permission denied/);
    });
});
