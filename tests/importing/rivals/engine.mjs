// Stands in for iii-engine, which agentmemory's server needs and no registry has: the server registers
// its functions here and keeps its state here, and we hand it HTTP requests. It is also its model.
//     node engine.mjs WEBSOCKET_PORT HTTP_PORT NODE_MODULES SUMMARY
import {createServer} from 'http';
import {createRequire} from 'module';

const [socketPort, httpPort, modules, summary] = process.argv.slice(2);
const {WebSocketServer} = createRequire(modules + '/')('ws');
const state = {}, routes = {}, waiting = {};
let server, last = 0;

const scoped = (scope) => (state[scope] ??= {});
const ours = {
  'state::get': ({scope, key}) => scoped(scope)[key] ?? null,
  'state::set': ({scope, key, value}) => (scoped(scope)[key] = value),
  'state::delete': ({scope, key}) => delete scoped(scope)[key],
  'state::list': ({scope}) => Object.values(scoped(scope)),
  'state::update': ({scope, key, ops}) => {
    const value = (scoped(scope)[key] ??= {});
    for (const {type, path, value: given, by} of ops) {
      if (type === 'set') value[path] = given;
      if (type === 'increment') value[path] = (value[path] ?? 0) + by;
    }
    return value;
  },
};
const theirs = (name) => /^(api|event|mem)::/.test(name);

const call = (name, data) => new Promise((done) => {
  waiting[++last] = done;
  const message = {type: 'invokefunction', invocation_id: `${last}`, function_id: name, data};
  server.send(JSON.stringify(message));
});

async function invoke(socket, {invocation_id, function_id, data}) {
  let answer = {result: ours[function_id]?.(data) ?? null};
  if (theirs(function_id)) answer = await call(function_id, data);
  const {result, error} = answer;
  const message = {type: 'invocationresult', invocation_id, function_id, result, error};
  if (invocation_id) socket.send(JSON.stringify(message));
}

const sockets = new WebSocketServer({host: '127.0.0.1', port: +socketPort});
sockets.on('connection', (socket, {url}) => socket.on('message', (raw) => {
  if (url.startsWith('/otel')) return;
  const message = JSON.parse(raw);
  if (message.type === 'registerfunction') server = socket;
  if (message.type === 'invocationresult') waiting[message.invocation_id]?.(message);
  if (message.type === 'invokefunction') invoke(socket, message);
  if (message.type === 'registertrigger' && message.trigger_type === 'http')
    routes[`${message.config.http_method} ${message.config.api_path}`] = message.function_id;
}));

async function answer(request, body) {
  const {pathname, searchParams} = new URL(request.url, 'http://localhost');
  if (pathname.endsWith('/chat/completions'))
    return {status_code: 200, body: {choices: [{message: {role: 'assistant', content: summary}}]}};
  const name = routes[`${request.method} ${pathname}`];
  if (!name) return {status_code: 404, body: {}};
  const {result, error} = await call(name, {
    body: body ? JSON.parse(body) : null,
    headers: request.headers,
    method: request.method,
    path: pathname,
    path_params: {},
    query_params: Object.fromEntries(searchParams),
  });
  return result ?? {status_code: 500, body: error};
}

createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const {status_code, body} = await answer(request, text);
  response.writeHead(status_code, {'content-type': 'application/json'});
  response.end(JSON.stringify(body));
}).listen(+httpPort, '127.0.0.1');
