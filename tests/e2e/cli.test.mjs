// The command line as people meet it: messages that say what is wrong, where, and what to do.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import http from 'node:http';
import { test } from 'node:test';
import { program, withServer } from './server.mjs';

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
        assert.ok(err.includes(`port ${port} is in use (pid ${server.child.pid})`), err);
    });
});

test('a socket in use names the process that has it', () => withServer({ args: ['--socket', 's.sock'] }, async (server) => {
    await server.said(/mcp:ready/);
    const { code, err } = await run(['--socket', 's.sock', '--log-dir', 'none'], { cwd: server.dir });
    assert.equal(code, 2);
    assert.ok(err.includes(`s.sock: pid ${server.child.pid} listens on this socket`), err);
}));
