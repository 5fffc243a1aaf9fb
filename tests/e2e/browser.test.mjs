// Browsers: pages of other origins (CORS), the endpoint opened by hand, and what a missing token is told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fetchOnce, get, post, withHttp } from './http_client.mjs';
import { request } from './server.mjs';

const APP = 'https://app.example';
const ENV = { MCPGATE_ALLOWED_ORIGINS: `${APP},https://other.example` };
const INITIALIZE = request(1, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } });
const preflight = (port, path, headers) => fetchOnce(port, { method: 'OPTIONS', path, headers });
const asks = (origin, more = {}) => ({ Origin: origin, 'Access-Control-Request-Method': 'POST', ...more });

test('a page of a listed origin may ask and read', () => withHttp({ env: { ...ENV, MCPGATE_TOKEN: 'secret' } }, async (server) => {
    const answer = await preflight(server.port, '/mcp', asks(APP, { 'Access-Control-Request-Headers': 'content-type, mcp-param-region, x-odd' }));
    assert.deepEqual([answer.status, answer.text], [204, '']);
    assert.equal(answer.headers['access-control-allow-origin'], APP);
    assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD, POST, DELETE');
    const allowed = answer.headers['access-control-allow-headers'].toLowerCase().split(', ');
    for (const name of ['authorization', 'content-type', 'last-event-id', 'mcp-session-id', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-param-region']) {
        assert.ok(allowed.includes(name), name);
    }
    assert.ok(!allowed.includes('x-odd'));
    assert.match(answer.headers.vary, /Origin/);

    const refused = await post(server.port, '/mcp', INITIALIZE, { Origin: APP });
    assert.deepEqual([refused.status, refused.headers['access-control-allow-origin']], [401, APP], 'a page can read why');
    const begun = await post(server.port, '/mcp', INITIALIZE, { Origin: APP, Authorization: 'Bearer secret', Accept: 'application/json, text/event-stream' });
    assert.deepEqual([begun.status, begun.headers['access-control-allow-origin']], [200, APP]);
    assert.match(begun.headers['access-control-expose-headers'], /Mcp-Session-Id.*WWW-Authenticate/);
    const stream = await post(server.port, '/mcp', INITIALIZE, { Origin: APP, Authorization: 'Bearer secret', Accept: 'text/event-stream' });
    assert.deepEqual([stream.headers['content-type'], stream.headers['access-control-allow-origin']], ['text/event-stream', APP]);
}));

test('no other page learns anything', () => withHttp({ env: ENV }, async (server) => {
    const silent = ({ headers }) => assert.deepEqual(Object.keys(headers).filter((name) => name.startsWith('access-control')), []);
    for (const origin of ['https://evil.example', 'null', 'https://app.example.evil.example']) {
        for (const answer of [await preflight(server.port, '/mcp', asks(origin)), await post(server.port, '/rpc', request(1, 'ping'), { Origin: origin })]) {
            assert.equal(answer.status, 403);
            silent(answer);
        }
    }
    const none = await preflight(server.port, '/mcp', {});
    assert.equal(none.status, 405);
    silent(none);
    silent(await post(server.port, '/rpc', request(1, 'ping')));
    assert.equal((await preflight(server.port, '/nothing', asks(APP))).status, 404);
    assert.equal((await preflight(server.port, '/mcp', { Origin: APP })).status, 405, 'not a preflight');
}));

test('GET /mcp: a browser is sent to the page, others are told which header to send', () => withHttp({ env: { MCPGATE_TOKEN: 'secret' } }, async (server) => {
    const bearer = { Authorization: 'Bearer secret' };
    const browser = await get(server.port, '/mcp', { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' });
    assert.deepEqual([browser.status, browser.headers.location], [302, '/']);
    const any = await get(server.port, '/mcp', { ...bearer, Accept: '*/*' });
    assert.equal(any.status, 405);
    assert.match(JSON.parse(any.text).error.message, /Mcp-Session-Id/);
    const json = await get(server.port, '/mcp', { ...bearer, Accept: 'application/json' });
    assert.equal(json.status, 406);
    assert.match(JSON.parse(json.text).error.message, /Accept: text\/event-stream/);
    assert.equal((await get(server.port, '/mcp', { ...bearer, Accept: 'text/html, text/event-stream' })).status, 405, 'a client');
    assert.equal((await get(server.port, '/mcp', { ...bearer, Accept: 'text/html;q=0, */*' })).status, 405);
}));

test('a missing token: metadata is named where there is some', async () => {
    const METADATA = '/.well-known/oauth-protected-resource';
    await withHttp({ env: { MCPGATE_TOKEN: 'secret' } }, async (server) => {
        const { headers } = await post(server.port, '/mcp', INITIALIZE);
        assert.equal(headers['www-authenticate'], 'Bearer realm="mcpgate"');
        const wrong = await post(server.port, '/mcp', INITIALIZE, { Authorization: 'Bearer guess' });
        assert.equal(wrong.headers['www-authenticate'], 'Bearer error="invalid_token", realm="mcpgate"');
        assert.equal((await get(server.port, METADATA)).status, 404);
    });
    await withHttp({ env: { MCPGATE_TOKEN: 'secret', MCPGATE_AUTH_SERVERS: 'https://auth.example' } }, async (server) => {
        const { headers } = await post(server.port, '/mcp', INITIALIZE);
        const [, url] = /^Bearer resource_metadata="([^"]+)"$/.exec(headers['www-authenticate']);
        const answer = await get(server.port, new URL(url).pathname);
        assert.deepEqual([answer.status, JSON.parse(answer.text).authorization_servers], [200, ['https://auth.example']]);
    });
});
