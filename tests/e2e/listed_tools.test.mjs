// Which built-in tools the official protocol lists, and how their schemas look to clients; what they are called by.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { get, withHttp } from './http_client.mjs';
import { sleep, withServer } from './server.mjs';

const FILES = {
    'schemas/synesthetic-asset.schema.json': { type: 'object', version: '1.2' },
    'examples/SynestheticAsset_One.json': { name: 'n' },
    'tools/own.tool.json': { name: 'own', version: '1', description: 'x', command: ['/bin/true'], inputSchema: { type: 'object' } },
};
const SCHEMAS = { SYN_SCHEMAS_DIR: 'schemas' };
const EXAMPLES = { SYN_EXAMPLES_DIR: 'examples' };
const initialize = (server) => server.ask(0, 'initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 't', version: '1' } });
const listed = (env) => withServer({ env, files: FILES }, async (server) => {
    await initialize(server);
    return (await server.ask(1, 'tools/list')).result.tools;
});
const names = async (env) => (await listed(env)).map(({ name }) => name);

test('a built-in tool is listed when there is something for it to work on', async () => {
    const ofSchemas = ['list_schemas', 'get_schema', 'validate_asset', 'validate_many'];
    assert.deepEqual(await names({}), []);
    assert.deepEqual(await names({ MCPGATE_TOOLS_DIR: 'tools' }), ['own']);
    assert.deepEqual(await names(SCHEMAS), [...ofSchemas, 'diff_assets']);
    assert.deepEqual(await names(EXAMPLES), ['list_examples', 'get_example', 'diff_assets']);
    assert.deepEqual(await names({ SYN_BACKEND_URL: 'http://127.0.0.1:9' }), ['populate_backend']);
    assert.equal((await names({ ...SCHEMAS, ...EXAMPLES, SYN_BACKEND_URL: 'http://127.0.0.1:9', MCPGATE_TOOLS_DIR: 'tools' })).length, 9);
});

test('a tool whose schema does not compile is not listed', async () => {
    const broken = { ...FILES['tools/own.tool.json'], name: 'broken', inputSchema: { type: 'object', properties: { n: { type: 'nonsense' } } } };
    const tools = await withServer({ env: { MCPGATE_TOOLS_DIR: 'tools' }, files: { ...FILES, 'tools/broken.tool.json': broken } }, async (server) => {
        await initialize(server);
        return (await server.ask(1, 'tools/list')).result.tools;
    });
    assert.deepEqual(tools.map(({ name }) => name), ['own']);
});

test('every dialect answers those that are not listed', () => withHttp({}, async (server) => {
    const peer = await server.connect();
    assert.deepEqual((await peer.ask(1, 'list_schemas')).result, { ok: true, schemas: [] });
    assert.equal((await peer.ask(2, 'populate_backend', { asset: {} })).result.detail, 'backend disabled');
    const called = await peer.ask(3, 'tools/call', { name: 'list_examples', arguments: {} });
    assert.deepEqual(JSON.parse(called.result.content[0].text), { ok: true, examples: [] });
    assert.equal((await peer.ask('a', 'mcp.discover', {})).result.tools.length, 8);
    assert.equal(JSON.parse((await get(server.port, '/v1/tools')).text).tools.length, 8);
    peer.socket.destroy();
}));

// Every value that a schema describes has a type, or is given outright.
function untyped(schema, path, found) {
    const tells = ['type', 'const', 'enum', '$ref', 'oneOf', 'anyOf'].some((keyword) => keyword in schema);
    if (!tells) found.push(path);
    for (const [name, member] of Object.entries({ ...schema.properties, ...schema.$defs })) untyped(member, `${path}/${name}`, found);
    for (const member of schema.oneOf ?? []) untyped(member, `${path}/${member.title ?? '-'}`, found);
    if (schema.items) untyped(schema.items, `${path}/items`, found);
    else if ([schema.type].flat().includes('array') && schema.type === 'array') found.push(`${path}/items`);
    return found;
}

test('no member of a built-in tool is without a type', async () => {
    for (const { name, inputSchema, outputSchema } of await listed({ ...SCHEMAS, ...EXAMPLES, SYN_BACKEND_URL: 'http://127.0.0.1:9' })) {
        assert.deepEqual([...untyped(inputSchema, `${name} in`, []), ...untyped(outputSchema, `${name} out`, [])], []);
    }
});

test('the schema that get_example names can be got', () => withHttp({ env: { ...SCHEMAS, ...EXAMPLES }, files: FILES }, async (server) => {
    const peer = await server.connect();
    const { schema } = (await peer.ask(1, 'get_example', { path: 'SynestheticAsset_One.json' })).result;
    assert.equal(schema, 'nested-synesthetic-asset');
    assert.deepEqual((await peer.ask(2, 'get_schema', { name: schema })).result, { ok: true, schema: FILES['schemas/synesthetic-asset.schema.json'], version: '1.2' });
    assert.equal((await get(server.port, `/schemas/${schema}`)).status, 200);
    const read = await peer.ask(3, 'resources/read', { uri: `mcpgate://schemas/${schema}` });
    assert.equal(JSON.parse(read.result.contents[0].text).version, '1.2');
    assert.equal((await peer.ask(4, 'get_schema', { name: 'nested-other' })).result.reason, 'not_found');
    peer.socket.destroy();
}));

test('published schemas have an absolute $id, and find each other by it', () => withHttp({}, async (server) => {
    // the schemas of POLICY keep the names their document gives them
    const files = ['request', 'response', 'request.minor', 'env.request', 'env.tool_io', 'log.event'].map((name) => `${name}.schema.json`);
    const schemas = await Promise.all(files.map(async (name) => JSON.parse((await get(server.port, `/schemas/${name}`)).text)));
    const ids = schemas.map(({ $id }) => $id);
    assert.equal(new Set(ids).size, files.length);
    const references = (value) => value && typeof value === 'object' ? Object.entries(value).flatMap(([key, member]) => key === '$ref' ? [member] : references(member)) : [];
    schemas.forEach((schema, i) => {
        assert.ok(new URL(schema.$id).pathname.endsWith(`/${files[i]}`), schema.$id);
        for (const reference of references(schema).filter((text) => !text.startsWith('#'))) {
            const target = new URL(reference, schema.$id).href.split('#')[0];
            assert.ok(ids.includes(target), `${schema.$id}: ${reference}`);
        }
    });
}));

test("a reload changes the fingerprint of a tool whose schemas changed, and no other's", () => withHttp({ env: { MCPGATE_TOOLS_DIR: 'tools' }, files: FILES }, async (server) => {
    const own = FILES['tools/own.tool.json'];
    const published = async () => JSON.parse((await get(server.port, '/v1/tools')).text).tools.map(({ name, fingerprint }) => ({ name, fingerprint }));
    const before = await published();
    for (const { fingerprint } of before) assert.match(fingerprint, /^[0-9a-f]{64}$/);
    assert.deepEqual(JSON.parse((await get(server.port, '/diagnostics')).text).tools, before);
    const reload = async (tool) => { server.write('tools/own.tool.json', tool); server.kill('SIGHUP'); await sleep(500); return published(); };
    assert.deepEqual(await reload({ ...own, description: 'y' }), before, 'descriptions do not count');
    const after = await reload({ ...own, inputSchema: { type: 'object', minProperties: 1 } });
    assert.deepEqual(after.filter((tool, i) => tool.fingerprint !== before[i].fingerprint).map(({ name }) => name), ['own']);
    assert.deepEqual(JSON.parse((await get(server.port, '/diagnostics')).text).tools, after);
}));
