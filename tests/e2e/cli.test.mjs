// The command line as people meet it: messages that say what is wrong, where, and what to do.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { program, until, withServer } from './server.mjs';

const withoutSettings = () =>
    Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(MCP|MCPGATE|SYN)_/.test(name)));

// Runs the program to its end. options: env, input, cwd
export function run(args, { env = {}, input = '', cwd } = {}) {
    const child = spawn(program, args, { cwd, env: { ...withoutSettings(), MCP_READY_FILE: '', ...env } });
    const result = { out: '', err: '' };
    child.stdout.on('data', (bytes) => { result.out += bytes; });
    child.stderr.on('data', (bytes) => { result.err += bytes; });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    return new Promise((resolve) => child.on('close', (code) => resolve({ ...result, code })));
}

test('a wrong directory names the setting that it came from', async () => {
    const cases = [
        [[], { SYN_SCHEMAS_DIR: '/nowhere' }, 'SYN_SCHEMAS_DIR'],
        [[], { MCPGATE_SCHEMAS_DIR: '/nowhere' }, 'MCPGATE_SCHEMAS_DIR'],
        [['--examples-dir', '/nowhere'], {}, '--examples-dir'],
        [['--tools-dir', '/nowhere'], {}, '--tools-dir'],
    ];
    for (const [args, env, name] of cases) {
        const { code, err } = await run([...args, '--log-dir', 'none'], { env });
        assert.equal(code, 2);
        assert.equal(err, `mcp:error reason=setup_failed detail="${name}: /nowhere: No such file or directory"\n`);
    }
});

test('an MCP schema that the server does not have is reported with the status', async () => {
    const server = http.createServer((request, response) => { response.writeHead(404).end('{}'); });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${server.address().port}/schema.json`;
    const { code, err } = await run(['--mcp-schema', url, '--log-dir', 'none']);
    server.close();
    assert.equal(code, 2);
    assert.equal(err, `mcp:error reason=setup_failed detail="--mcp-schema: ${url}: the server answered HTTP 404"\n`);
    const gone = await run(['--mcp-schema', url, '--log-dir', 'none']);
    assert.match(gone.err, /no answer from this server/);
});

test('a port in use names the process that has it', () => {
    const port = 20000 + process.pid % 20000;
    return withServer({ args: ['--http', `127.0.0.1:${port}`], stdin: 'ignore' }, async (server) => {
        await server.said(/mcp:ready/);
        const { code, err } = await run(['--http', `127.0.0.1:${port}`, '--log-dir', 'none']);
        assert.equal(code, 2);
        // the server forbids dumps, so only root sees which sockets it has
        const who = process.getuid() === 0 ? ` (pid ${server.child.pid})` : '';
        assert.ok(err.includes(`port ${port} is in use${who}`), err);
    });
});

test('a socket in use names the process that has it', () => withServer({ args: ['--socket', 's.sock'] }, async (server) => {
    await server.said(/mcp:ready/);
    const { code, err } = await run(['--socket', 's.sock', '--log-dir', 'none'], { cwd: server.dir });
    assert.equal(code, 2);
    assert.ok(err.includes(`s.sock: pid ${server.child.pid} listens on this socket`), err);
}));

// ---- being ready ----

test('the ready line of HTTP has the addresses and what is served', () => {
    const address = `127.0.0.1:${20000 + (process.pid + 3967) % 20000}`;
    const options = { args: ['--http', address], stdin: 'ignore', files: { 'schemas/part.schema.json': {} }, env: { SYN_SCHEMAS_DIR: 'schemas' } };
    return withServer(options, async (server) => {
        await server.said(/mcp:ready .*\n/);
        const line = server.err.text.split('\n')[0];
        assert.match(line, new RegExp(`^mcp:ready mode=http url=http://${address} schemas_dir=schemas examples_dir="" ` +
            `mcp=http://${address}/mcp page=http://${address}/ schemas=1 tools=\\d+ timestamp=\\S+Z$`));
    });
});

test('on a terminal a bare mcpgate says what it waits for', async () => {
    const command = `${program} --log-dir none --ready-file ''`;
    const child = spawn('script', ['-qec', command, '/dev/null'], { env: withoutSettings() });
    let out = '';
    child.stdout.on('data', (bytes) => { out += bytes; });
    await until('the hint', () => out.includes('mcpgate --help'));
    child.stdin.write('\x04');
    await new Promise((resolve) => child.on('close', resolve));
    assert.match(out, /Waiting for JSON-RPC messages on standard input/);
    const piped = await run(['--log-dir', 'none']);
    assert.doesNotMatch(piped.err, /Waiting/);
});

test('a second server with the same ready file warns and names the first', () =>
    withServer({ args: ['--socket', 's.sock'] }, async (first) => {
        await until('a ready file', () => fs.existsSync(first.ready));
        const second = { env: { MCP_READY_FILE: first.ready }, args: ['--socket', 't.sock'] };
        await withServer(second, async (server) => {
            await server.said(/mcp:warning reason=ready_file .*\n/);
            assert.ok(server.err.text.includes(`belongs to another running mcpgate (pid ${first.child.pid}) and is replaced`), server.err.text);
            await until('its own pid', () => fs.readFileSync(first.ready, 'utf8').startsWith(`${server.child.pid} `));
        });
        const alone = await run(['--log-dir', 'none'], { env: { MCP_READY_FILE: first.ready } });
        assert.doesNotMatch(alone.err, /warning/);
    }));

// ---- call ----

const TOOL = {
    name: 'shout', version: '1', description: 'Says it louder.', command: ['./shout.sh'], output: 'text',
    inputSchema: {
        type: 'object', additionalProperties: false, required: ['text'],
        properties: { text: { type: 'string', maxLength: 10 }, times: { type: 'integer' } },
    },
};
const FAILING = { ...TOOL, name: 'fails', description: 'Fails.', command: ['./fails.sh'] };
const TOOLS = {
    'tools/shout.tool.json': TOOL,
    'tools/shout.sh': '#!/bin/sh\ntr a-z A-Z\n',
    'tools/fails.tool.json': FAILING,
    'tools/fails.sh': '#!/bin/sh\necho broken >&2\nexit 3\n',
    'schemas/part.schema.json': { type: 'object', properties: { n: { type: 'integer' } } },
};

function toolServer(options, body) {
    return withServer({ files: TOOLS, stdin: 'ignore', ...options }, async (server) => {
        for (const name of ['shout', 'fails']) fs.chmodSync(path.join(server.dir, `tools/${name}.sh`), 0o755);
        await server.said(/mcp:ready/);
        server.kill('SIGHUP');
        await server.said(/mcp:reload/);
        await body(server);
    });
}

const PORT = 20000 + (process.pid + 7919) % 20000;
const URL = `http://127.0.0.1:${PORT}`;
const ON_HTTP = { args: ['--http', `127.0.0.1:${PORT}`, '--tools-dir', 'tools', '--schemas-dir', 'schemas'] };

test('call runs a tool here and at a server, with the same output', () => toolServer(ON_HTTP, async (server) => {
    const at = { cwd: server.dir, env: { MCPGATE_TOOLS_DIR: 'tools', MCPGATE_SCHEMAS_DIR: 'schemas' } };
    const cases = [
        [['shout', 'text=12', 'times=3'], 0, /^\{"TEXT":"12","TIMES":3\}\n$/],
        [['shout', '{"text":"a"}'], 0, /^\{"TEXT":"A"\}\n$/],
        [['validate_asset', 'schema=part', 'asset={"n":"x"}'], 0, /"path":"\/n"/],
        [['list_schemas', '--format', 'json'], 0, /"structuredContent":\{"ok":true/],
        [['fails', 'text=a'], 1, /^$/],
        [['get_schema', 'name=none'], 1, /not_found/],
        [['shuot'], 2, /^$/],
    ];
    for (const [args, code, out] of cases) {
        const here = await run(['call', ...args], at);
        const there = await run(['call', ...args, '--url', URL]);
        assert.equal(here.code, code, here.err);
        assert.match(here.out, out);
        assert.deepEqual([there.code, there.out], [here.code, here.out]);
    }
    const failed = await run(['call', 'fails', 'text=a'], at);
    assert.match(failed.err, /^mcpgate: call: fails: .*exit code 3/m);
    const refused = await run(['call', 'shout', 'text=much too long'], at);
    assert.equal(refused.code, 1);
    assert.match(refused.out + refused.err, /\/text/);
    const unknown = await run(['call', 'shuot', '--url', `${URL}/mcp`]);
    assert.match(unknown.err, /unknown tool 'shuot'; did you mean 'shout'\?/);
    const piped = await run(['call', 'shout', '-'], { ...at, input: '{"text":"b"}' });
    assert.equal(piped.out, '{"TEXT":"B"}\n');
}));

test('call shows the message of a server without control characters', async () => {
    const server = http.createServer((_, response) => response.writeHead(500).end('{"error":{"message":"\\u001b[31mred\\u0007"}}'));
    await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
    const { err } = await run(['call', 'x', '--url', `http://127.0.0.1:${server.address().port}`]);
    server.close();
    assert.match(err, /HTTP 500: .*31mred/);
    assert.doesNotMatch(err, /[\x00-\x09\x0b-\x1f]/);
});

test('call sends the token, and says what is missing without it', () =>
    toolServer({ ...ON_HTTP, env: { MCPGATE_TOKEN: 'secret' } }, async () => {
        const without = await run(['call', 'list_schemas', '--url', URL]);
        assert.equal(without.code, 2);
        assert.match(without.err, /HTTP 401.*set MCPGATE_TOKEN/);
        const withToken = await run(['call', 'list_schemas', '--url', URL], { env: { MCPGATE_TOKEN: 'secret' } });
        assert.equal(withToken.code, 0, withToken.err);
        assert.match(withToken.out, /"name":"part"/);
    }));

test('call keeps secrets from the tools it runs here, as a server does', () => toolServer({ args: [], stdin: 'pipe' }, async (server) => {
    const names = ['MCPGATE_TOKEN', 'MCPGATE_BACKEND_URL', 'SYN_BACKEND_URL'];
    fs.writeFileSync(path.join(server.dir, 'tools/shout.tool.json'), JSON.stringify({ ...TOOL, environment: ['OTHER', ...names] }));
    fs.writeFileSync(path.join(server.dir, 'tools/shout.sh'), '#!/bin/sh\nenv\n');
    const env = { OTHER: 'seen', MCPGATE_TOKEN: 'hidden', MCPGATE_BACKEND_URL: 'http://u:hidden@127.0.0.1:1', SYN_BACKEND_URL: 'http://u:hidden@127.0.0.1:2' };
    const { code, out } = await run(['call', 'shout', 'text=a', '--tools-dir', 'tools'], { cwd: server.dir, env });
    assert.equal(code, 0);
    assert.match(out, /OTHER=seen/);
    assert.doesNotMatch(out, /hidden/);
}));

test('call says so when no server answers', async () => {
    const { code, err } = await run(['call', 'list_schemas', '--url', 'http://127.0.0.1:1']);
    assert.equal(code, 2);
    assert.match(err, /no answer; is the server running\?/);
});

test('call ends its tool when it is interrupted', () => toolServer({ args: [] , stdin: 'pipe' }, async (server) => {
    fs.writeFileSync(path.join(server.dir, 'tools/shout.sh'), '#!/bin/sh\necho $$ > pid\nexec sleep 60\n');
    const child = spawn(program, ['call', 'shout', 'text=a', '--tools-dir', 'tools'],
        { cwd: server.dir, env: { ...withoutSettings() } });
    let err = '';
    child.stderr.on('data', (bytes) => { err += bytes; });
    const file = () => ['pid', 'tools/pid'].map((name) => path.join(server.dir, name)).find((name) => fs.existsSync(name));
    const pid = Number(fs.readFileSync(await until('the tool', () => file() && fs.readFileSync(file(), 'utf8') && file()), 'utf8'));
    child.kill('SIGINT');
    assert.equal(await new Promise((resolve) => child.on('close', resolve)), 2);
    assert.match(err, /interrupted/);
    await until('the end of the tool', () => !fs.existsSync(`/proc/${pid}`));
}));

// ---- making something to start from ----

function inDirectory(body) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'mcpgate-e2e-'));
    return body(dir).finally(() => fs.rmSync(dir, { recursive: true, force: true }));
}

test('init makes what its own commands work on, and never overwrites', () => inDirectory(async (dir) => {
    const made = await run(['init', 'here'], { cwd: dir });
    assert.equal(made.code, 0, made.err);
    const commands = made.out.split('\n').filter((line) => line.startsWith('  mcpgate ') && !line.includes('--http'));
    assert.equal(commands.length, 3);
    const outputs = commands.map((line) => spawnSync('sh', ['-c', line.replace('mcpgate', program)],
        { cwd: path.join(dir, 'here'), env: withoutSettings(), encoding: 'utf8' }));
    assert.deepEqual(outputs.map(({ status }) => status), [0, 0, 0], JSON.stringify(outputs));
    assert.match(outputs[1].stdout, /"path":"\/stars","msg":"must be at most 5"/);
    assert.equal(outputs[2].stdout, '{"words":3}\n');
    const at = { cwd: path.join(dir, 'here') };
    assert.deepEqual(await run(['tools', 'lint', 'tools'], at), { out: '', err: '', code: 0 });
    const served = await run(['examples', '--schemas-dir', 'schemas', '--examples-dir', 'examples'], at);
    assert.match(served.out, /"schema":"note"/);
    fs.writeFileSync(path.join(dir, 'here/schemas/note.schema.json'), 'mine');
    fs.rmSync(path.join(dir, 'here/tools'), { recursive: true });
    const again = await run(['init', 'here'], { cwd: dir });
    assert.equal(again.code, 2);
    assert.match(again.err, /note\.schema\.json: file exists; nothing was changed/);
    assert.equal(fs.readFileSync(path.join(dir, 'here/schemas/note.schema.json'), 'utf8'), 'mine');
    assert.ok(!fs.existsSync(path.join(dir, 'here/tools')));
}));

test('tools new makes a tool that works', () => inDirectory(async (dir) => {
    const made = await run(['tools', 'new', 'my-tool.v1'], { cwd: dir, env: { MCPGATE_TOOLS_DIR: 'tools' } });
    assert.equal(made.code, 0, made.err);
    assert.match(made.out, /mcpgate call my-tool\.v1 text='one two three' --tools-dir tools/);
    const called = await run(['call', 'my-tool.v1', 'text=one two three', '--tools-dir', 'tools'], { cwd: dir });
    assert.deepEqual(called, { out: '{"words":3}\n', err: '', code: 0 });
    assert.deepEqual(await run(['tools', 'lint', 'tools'], { cwd: dir }), { out: '', err: '', code: 0 });
    for (const args of [['my-tool.v1', 'tools'], ['../x', 'tools'], ['', 'tools'], ['.x', 'tools'], ['a b', 'tools'], []]) {
        const { code, err } = await run(['tools', 'new', ...args], { cwd: dir });
        assert.equal(code, 2);
        assert.match(err, /^mcpgate: tools: /);
    }
    assert.deepEqual(fs.readdirSync(path.join(dir, 'tools')).sort(), ['my-tool.v1.sh', 'my-tool.v1.tool.json']);
}));
