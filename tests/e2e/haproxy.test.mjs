// Two replicas behind a real HAProxy, with the configuration of packaging/haproxy; one is killed under load.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort } from './http_client.mjs';
import { request, Server, sleep, until } from './server.mjs';

const PACKAGING = path.join(path.dirname(fileURLToPath(import.meta.url)), '../../packaging');
const has = (program) => spawnSync(program, ['-v'], { env: { PATH: `${process.env.PATH}:/usr/sbin` } }).error === undefined;
const skip = has('haproxy') ? false : 'haproxy is not installed';
const PATIENCE_MS = 10000;

const post = (port, agent, body, headers = {}) => new Promise((resolve) => {
    const asked = http.request({
        host: '127.0.0.1', port, agent, method: 'POST', path: '/mcp', timeout: PATIENCE_MS,
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream', 'Content-Length': Buffer.byteLength(body), ...headers },
    }, (answer) => {
        let text = '';
        answer.on('data', (data) => { text += data; });
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, text }));
        answer.on('error', () => resolve({ status: 0 }));
    });
    asked.on('error', () => resolve({ status: 0 }));
    asked.end(body);
});

const META = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientInfo': { name: 't', version: '1' }, 'io.modelcontextprotocol/clientCapabilities': {} };
const modern = (port, agent, id) => post(port, agent, request(id, 'tools/list', { _meta: META }), { 'MCP-Protocol-Version': '2026-07-28', 'Mcp-Method': 'tools/list' });
const INITIALIZE = request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } });

async function withReplicas(work) {
    const [front, a, b] = [await freePort(), await freePort(), await freePort()];
    const replicas = [a, b].map((port) => new Server({ args: ['--http', `127.0.0.1:${port}`] }));
    for (const replica of replicas) await replica.said(/mcp:ready/);
    const proxy = spawn('haproxy', ['-db', '-f', path.join(PACKAGING, 'haproxy/haproxy.cfg')], {
        env: { PATH: `${process.env.PATH}:/usr/sbin`, MCPGATE_FRONT: `127.0.0.1:${front}`, MCPGATE_A: `127.0.0.1:${a}`, MCPGATE_B: `127.0.0.1:${b}` },
        stdio: 'ignore',
    });
    const agent = new http.Agent({ keepAlive: true });
    try {
        await until('the proxy', async () => (await modern(front, agent, 0)).status === 200);
        await work({ front, replicas, agent });
    } finally {
        agent.destroy();
        proxy.kill('SIGKILL');
        for (const replica of replicas) await replica.end();
    }
}

const CLIENTS = 16;
// What goes to a dead replica's old connection before the proxy has seen it close is lost as well: it may have been heard.
const PROXY_NOTICES_MS = 300;

// Clients that ask one thing after another, and what becomes of it.
class Load {
    constructor(front, agent) {
        this.inFlight = new Set();
        this.answered = 0;
        this.lost = [];
        this.stopped = false;
        this.clients = Array.from({ length: CLIENTS }, async (_, number) => {
            for (let i = 0; !this.stopped; i++) await this.ask(front, agent, `${number}/${i}`);
        });
    }
    async ask(front, agent, id) {
        this.inFlight.add(id);
        const answer = await modern(front, agent, id);
        this.inFlight.delete(id);
        if (answer.status === 200) { assert.equal(JSON.parse(answer.text).id, id); this.answered++; } else this.lost.push(id);
    }
    async end() { this.stopped = true; await Promise.all(this.clients); }
}

test('a replica dies under load: whatever is asked after that is answered', { skip }, () => withReplicas(async ({ front, replicas, agent }) => {
    const load = new Load(front, agent);
    await sleep(500);
    const before = load.answered;
    replicas[0].kill('SIGKILL');
    await replicas[0].exited;
    await sleep(PROXY_NOTICES_MS);
    const inFlight = new Set(load.inFlight);
    const lostBefore = load.lost.length; // and counted below
    const atDeath = load.answered;
    await sleep(1500);
    await load.end();
    assert.ok(before > 100 && load.answered > atDeath + 100, `${before}, then ${load.answered}`);
    assert.deepEqual(load.lost.slice(lostBefore).filter((id) => !inFlight.has(id)), []);
    assert.ok(load.lost.length <= CLIENTS, `${load.lost.length} of ${load.answered} lost`);
}));

// Frozen first, so that it is known what it was working on: all that the other one has not answered.
test('a replica dies: lost is what it was working on and nothing else', { skip }, () => withReplicas(async ({ front, replicas, agent }) => {
    const load = new Load(front, agent);
    await sleep(300);
    replicas[0].kill('SIGSTOP');
    await until('something it works on', async () => { const asked = new Set(load.inFlight); await sleep(20); return [...asked].some((id) => load.inFlight.has(id)); });
    load.stopped = true;
    await sleep(300);
    const stuck = new Set(load.inFlight);
    assert.ok(stuck.size > 0, `it was working on ${stuck.size}`);
    assert.deepEqual(load.lost, []);
    replicas[0].kill('SIGKILL');
    await replicas[0].exited;
    await sleep(PROXY_NOTICES_MS);
    const after = new Load(front, agent);
    await load.end();
    await sleep(500);
    await after.end();
    assert.deepEqual(load.lost.filter((id) => !stuck.has(id)), []);
    assert.deepEqual(after.lost, []);
    assert.ok(after.answered > 100, `${after.answered}`);
}));

test('legacy sessions stay with their replica, and begin anew when it is gone', { skip }, () => withReplicas(async ({ front, replicas, agent }) => {
    const sessions = [];
    for (let i = 0; i < 12; i++) sessions.push((await post(front, agent, INITIALIZE)).headers['mcp-session-id']);
    const ping = (session) => post(front, agent, request(2, 'ping'), { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': '2025-06-18' });
    for (let round = 0; round < 3; round++) for (const session of sessions) assert.equal((await ping(session)).status, 200);
    replicas[0].kill('SIGKILL');
    await replicas[0].exited;
    await sleep(1000);
    const statuses = await Promise.all(sessions.map(async (session) => (await ping(session)).status));
    assert.ok(statuses.every((status) => status === 200 || status === 404), `${statuses}`);
    assert.ok(statuses.includes(404) && statuses.includes(200), `both had some: ${statuses}`);
    const again = await post(front, agent, INITIALIZE);
    assert.equal((await ping(again.headers['mcp-session-id'])).status, 200);
}));

test('the example for nginx is one nginx takes', { skip: has('nginx') ? false : 'nginx is not installed' }, () => {
    const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'mcpgate-e2e-'));
    const file = path.join(dir, 'nginx.conf');
    fs.writeFileSync(file, `pid ${dir}/pid; error_log stderr; events {} http { access_log off; include ${PACKAGING}/nginx/mcpgate.conf; }`);
    const run = spawnSync('nginx', ['-t', '-q', '-c', file], { encoding: 'utf8', env: { PATH: `${process.env.PATH}:/usr/sbin` } });
    fs.rmSync(dir, { recursive: true });
    assert.equal(run.status, 0, run.stderr);
});
