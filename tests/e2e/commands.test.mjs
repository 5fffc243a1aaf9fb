// The commands of the README's first page: scripts/demo (`make run`), scripts/serve (`make serve`) and scripts/setup.
import assert from 'node:assert/strict';
import { execFile, spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { fetchOnce, freePort, get, post } from './http_client.mjs';
import { program, request, until } from './server.mjs';

const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..');
const script = (name) => path.join(ROOT, 'scripts', name);
const CLEAN = { PATH: process.env.PATH, NO_COLOR: '1' };

function inEmptyDirectory(work) {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'mcpgate-commands-'));
    fs.chmodSync(dir, 0o755);
    try { return work(dir); } finally { fs.rmSync(dir, { recursive: true }); }
}

// What the demo prints, as [command, output] pairs.
function demo(env = {}) {
    const { status, stdout } = spawnSync(script('demo'), [program], { env: { ...CLEAN, ...env }, encoding: 'utf8' });
    assert.equal(status, 0);
    return stdout.split(/^\$ /m).slice(1).map((part) => {
        const [command, ...lines] = part.split('\n');
        return [command, lines.filter((line) => !line.startsWith('== ')).join('\n').trimEnd()];
    });
}

test('the demo calls a tool, refuses two messages and a document with the place of the mistake', () => {
    const outputs = demo().map(([, output]) => output);
    const [begun, called] = outputs[1].split('\n').map((line) => JSON.parse(line));
    assert.equal(begun.result.protocolVersion, '2025-11-25');
    assert.deepEqual(called.result.structuredContent, { lines: 0, words: 4, bytes: 19 });
    assert.deepEqual(JSON.parse(outputs[2]), { lines: 0, words: 4, bytes: 19 });
    assert.match(JSON.parse(outputs[3]).result.content[0].text, /\/text\b/);
    assert.equal(JSON.parse(outputs[4]).error.data.validationPath, '/params/name');
    assert.match(outputs[5], /\/frequency_hz: expected number/);
    assert.match(outputs[6], /http:\/\/127\.0\.0\.1:8787\/mcp/);
});

test('the commands of the demo do the same when pasted elsewhere', () => inEmptyDirectory((cwd) => {
    const commands = demo().filter(([command]) => !command.startsWith('make '));
    assert.equal(commands.length, 6);
    for (const [command, output] of commands) {
        const { stdout } = spawnSync('bash', ['-c', command], { cwd, env: CLEAN, encoding: 'utf8' });
        assert.equal(stdout.trimEnd(), output, command);
    }
    assert.deepEqual(fs.readdirSync(cwd), [], 'nothing is left behind');
}));

test('settings of another server do not change the demo', () => {
    assert.deepEqual(demo({ MCP_ENDPOINT: 'socket', MCPGATE_TOOLS_DIR: '/nonexistent', SYN_SCHEMAS_DIR: '/nonexistent' }), demo());
});

const runInShell = (command) => new Promise((resolve) => {
    execFile('bash', ['-c', command], { env: CLEAN }, (error, stdout, stderr) => resolve(error ? `${error} ${stderr}` : stdout));
});

// Run scripts/serve; work gets its output so far and is followed by SIGTERM.
async function withServe(args, work) {
    const child = spawn(script('serve'), [program, ...args], { env: CLEAN });
    let text = '';
    child.stdout.on('data', (data) => { text += data; });
    child.stderr.on('data', (data) => { text += data; });
    const ended = new Promise((resolve) => { child.on('close', resolve); });
    try {
        await until('readiness', () => /mcp:ready /.test(text) || child.exitCode !== null);
        await work(text);
    } finally { child.kill(); }
    assert.equal(await ended, 0, text);
}

test('the addresses and the command that serve prints work', async () => {
    const port = await freePort();
    await withServe([`${port}`], async (text) => {
        assert.match(text, new RegExp(`^page +http://127\\.0\\.0\\.1:${port}/ `, 'm'));
        assert.match(text, new RegExp(`^MCP +http://127\\.0\\.0\\.1:${port}/mcp `, 'm'));
        assert.match((await get(port, '/')).text, /<html/);
        const begun = await post(port, '/mcp', request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'a', version: '1' } }), { Accept: 'application/json, text/event-stream' });
        assert.equal(begun.status, 200);
        assert.match(begun.text, /"protocolVersion":"2025-11-25"/);
        const [, command] = text.match(/^shell +(.*)$/m);
        assert.match(await runInShell(command), /"words":4/);
    });
});

test('serve takes the next port when the usual one is in use', async () => {
    const blocker = net.createServer();
    await new Promise((resolve) => { blocker.on('error', resolve).listen(8787, '127.0.0.1', resolve); });
    try {
        await withServe([], async (text) => {
            const [, port] = text.match(/^page +http:\/\/127\.0\.0\.1:(\d+)\//m);
            assert.ok(Number(port) > 8787, text);
            assert.equal((await fetchOnce(Number(port), { path: '/healthz' })).status, 200);
        });
    } finally { blocker.close(); }
});

// scripts/setup as a user who is not root, on a system without packages; programs are what is in PATH there.
function setupWithoutRoot(programs) {
    return inEmptyDirectory((dir) => {
        for (const name of ['bash', 'env', 'awk', 'cat', 'mktemp', 'rm', 'tail']) {
            const found = process.env.PATH.split(':').map((place) => path.join(place, name)).find((file) => fs.existsSync(file));
            fs.symlinkSync(found, path.join(dir, name));
        }
        for (const [name, text] of Object.entries({ 'dpkg-query': '', ...programs })) {
            fs.writeFileSync(path.join(dir, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
        }
        const user = process.getuid() === 0 ? { uid: 65534, gid: 65534 } : {};
        const text = fs.readFileSync(script('setup'));
        const { status, stderr } = spawnSync(path.join(dir, 'bash'), ['-s', 'test'], { input: text, env: { PATH: dir }, encoding: 'utf8', ...user });
        return { status, stderr };
    });
}
const BY_HAND = /^ {2}apt-get update && apt-get install -y --no-install-recommends gcc .* libcmocka-dev .* nodejs$/m;

test('without root and sudo, setup prints the command to run as root', () => {
    const { status, stderr } = setupWithoutRoot({});
    assert.equal(status, 1);
    assert.match(stderr, /^setup: packages are missing, and installing them needs root/);
    assert.match(stderr, BY_HAND);
});

test('a user whom sudo refuses gets the same line', () => {
    const { status, stderr } = setupWithoutRoot({ sudo: 'echo "user is not in the sudoers file" >&2; exit 1' });
    assert.equal(status, 1);
    assert.match(stderr, /user is not in the sudoers file/);
    assert.match(stderr, BY_HAND);
});

test('a Node.js that did not come as a package is not installed again', () => {
    assert.doesNotMatch(setupWithoutRoot({ node: 'exit 0' }).stderr, /nodejs/);
    assert.match(setupWithoutRoot({ node: 'exit 1' }).stderr, /nodejs/);
});
