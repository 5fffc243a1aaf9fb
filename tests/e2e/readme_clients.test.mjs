// The client entries in the README work: each server is started or called as the README says, with the program and schemas of
// this test in place of its paths, and asked for its tools.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { freePort, post } from './http_client.mjs';
import { program, request, Server, withServer } from './server.mjs';

const README = fs.readFileSync(path.join(path.dirname(fileURLToPath(import.meta.url)), '../../README.md'), 'utf8');
const FILES = { 'schemas/part.schema.json': { type: 'object' } };
const TOKEN = 'TOKEN';

const blocks = (language) => [...README.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map((match) => match[1]);
const CONFIGURATIONS = blocks('json').map((text) => JSON.parse(text));
const COMMANDS = blocks('sh').flatMap((text) => text.split('\n')).filter((line) => line.startsWith('claude mcp add '))
    .map((line) => [...line.matchAll(/"([^"]*)"|(\S+)/g)].map((match) => match[1] ?? match[2]));

// `claude mcp add [OPTION VALUE]... NAME (-- COMMAND [ARGUMENT]... | URL [OPTION VALUE]...)`, as an entry of its file.
function entryOfCommand(words) {
    const [, transport, kind, name, ...rest] = words.slice(2);
    assert.deepEqual([words.slice(0, 3).join(' '), transport, name], ['claude mcp add', '--transport', 'gate']);
    if (kind === 'stdio') {
        assert.equal(rest[0], '--');
        return { command: rest[1], args: rest.slice(2) };
    }
    assert.deepEqual([kind, rest[1]], ['http', '--header']);
    const [header, value] = rest[2].split(': ');
    return { type: 'http', url: rest[0], headers: { [header]: value } };
}

function entries() {
    const found = CONFIGURATIONS.flatMap((configuration) => {
        const [member, ...others] = Object.keys(configuration);
        assert.ok(member === 'mcpServers' || member === 'servers', member);
        assert.deepEqual(others, []);
        return Object.values(configuration[member]).map((entry) => ({ member, ...entry }));
    });
    return [...found, ...COMMANDS.map((words) => ({ member: 'claude mcp add', ...entryOfCommand(words) }))];
}

const ENTRIES = entries();
const local = ENTRIES.filter((entry) => entry.command);
const remote = ENTRIES.filter((entry) => entry.url);

const INITIALIZE = request(1, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'readme', version: '1' } });
const INITIALIZED = '{"jsonrpc":"2.0","method":"notifications/initialized"}';
const LIST = request(2, 'tools/list');
const CALL = request(3, 'tools/call', { name: 'list_schemas', arguments: {} });

function expectOffers(begun, listed, called) {
    assert.equal(begun.result.serverInfo.name, 'mcpgate');
    assert.equal(begun.result.protocolVersion, '2025-11-25');
    assert.ok(listed.result.tools.some((tool) => tool.name === 'validate_asset'));
    assert.equal(called.result.structuredContent.schemas[0].name, 'part', 'its schemas are those it was told to serve');
}

test('the README has an entry for each way', () => {
    const kinds = (list) => list.map((entry) => entry.member).sort();
    assert.deepEqual(kinds(local), ['claude mcp add', 'mcpServers', 'servers']);
    assert.deepEqual(kinds(remote), ['claude mcp add', 'mcpServers', 'servers']);
    for (const entry of remote) assert.equal(entry.type, 'http');
    for (const entry of local) if (entry.member === 'servers') assert.equal(entry.type, 'stdio');
});

for (const { member, command, args } of local) {
    test(`${member}: ${command} is started and asked`, async () => {
        assert.equal(path.basename(command), 'mcpgate');
        assert.ok(path.isAbsolute(command));
        const words = args.map((word) => word === '/path/to/schemas' ? 'schemas' : word);
        assert.ok(words.includes('schemas'));
        const server = new Server({ files: FILES, command: [program, ...words], env: { MCPGATE_LOG_DIR: undefined } });
        try {
            const ask = async (text) => { server.send(text); return JSON.parse(await server.out.next()); };
            const begun = await ask(INITIALIZE);
            server.send(INITIALIZED);
            expectOffers(begun, await ask(LIST), await ask(CALL));
            server.child.stdin.end();
            assert.equal(await server.exited, 0);
            assert.deepEqual(fs.readdirSync(server.dir), ['schemas'], 'nothing is left where the client started it');
        } finally {
            await server.end();
        }
    });
}

for (const { member, url, headers } of remote) {
    test(`${member}: ${url} is called`, async () => {
        const port = await freePort();
        const { pathname, host } = new URL(url);
        assert.ok(README.includes(`mcpgate --http ${host} --schemas-dir /path/to/schemas`), 'it is told how to start it there');
        const args = ['--http', host.replace('8787', port), '--schemas-dir', 'schemas'];
        await withServer({ files: FILES, args, env: { MCPGATE_TOKEN: TOKEN } }, async (server) => {
            await server.said(/mcp:ready mode=http/);
            const accept = { ...headers, Accept: 'application/json, text/event-stream' };
            const begun = await post(port, pathname, INITIALIZE, accept);
            const session = { ...accept, 'Mcp-Session-Id': begun.headers['mcp-session-id'], 'MCP-Protocol-Version': '2025-11-25' };
            assert.equal((await post(port, pathname, INITIALIZED, session)).status, 202);
            const [listed, called] = [await post(port, pathname, LIST, session), await post(port, pathname, CALL, session)];
            expectOffers(...[begun, listed, called].map((answer) => JSON.parse(answer.text)));
            assert.equal((await post(port, pathname, LIST, { ...session, Authorization: 'Bearer another' })).status, 401);
        });
    });
}
