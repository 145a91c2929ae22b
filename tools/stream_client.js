// Reads the stream of a running hapticd and prints one JSON line per message: the wire format of README.md, in plain
// JavaScript. Also sends a command, when one is named.
//
//   npm install zeromq @msgpack/msgpack
//   node tools/stream_client.js [--state ADDRESS] [--command ADDRESS] [--count N] [--ask COMMAND]
//
// Addresses: tcp://127.0.0.1:5570 (default), or ipc:///run/user/1000/hapticd/state.ipc
"use strict";
const zmq = require("zeromq");
const { decode, encode } = require("@msgpack/msgpack");

const VERSION = 1;
const TOPIC_SIZE = 8;
const ARRAY_OF = { "<f8": Float64Array, "<f4": Float32Array, "<i4": Int32Array };

function option(name, fallback) {
  const i = process.argv.indexOf(`--${name}`);
  return i < 0 ? fallback : process.argv[i + 1];
}

// One frame: eight bytes of topic, zero-padded, then one msgpack map.
function read(frame) {
  const topic = frame.subarray(0, TOPIC_SIZE).toString("latin1").replace(/\0+$/, "");
  const message = decode(frame.subarray(TOPIC_SIZE), { useBigInt64: true });
  if (Number(message.v) !== VERSION) throw new Error(`version ${message.v}, this client speaks ${VERSION}`);
  return { topic, message };
}

// A blob as rows of numbers; hello says which columns it has. Typed arrays want their bytes aligned: hence the copy.
function rows(bytes, layout) {
  const values = new ARRAY_OF[layout.dtype](new Uint8Array(bytes).buffer);
  const width = layout.columns.length;
  return Array.from({ length: values.length / width }, (_, i) => values.slice(i * width, (i + 1) * width));
}

function tellState(state, hello) {
  const names = hello.scene.bodies.map((body) => body.name);
  const bodies = rows(state.body, hello.blobs.body).map((row, i) => ({
    name: names[i],
    position: Array.from(row.slice(0, 3)),
    q_xyzw: Array.from(row.slice(3, 7)),
  }));
  const corners = rows(state.point, hello.blobs.point);
  const contacts = rows(state.contact_of, hello.blobs.contact_of).map(([a, b, , , , first, count]) => ({
    bodies: [names[a], names[b]],
    polygon: corners.slice(first, first + count).map((corner) => Array.from(corner)),
  }));
  return { seq: state.seq, tick: state.tick, t_ns: state.t_ns, mode: state.mode, bodies, contacts };
}

function print(kind, value) {
  // Times are int64 ns, beyond what a double holds exactly: as text.
  const text = JSON.stringify({ kind, ...value }, (_, v) => (typeof v === "bigint" ? v.toString() : v));
  process.stdout.write(text + "\n");
}

async function ask(address, command) {
  const socket = new zmq.Dealer({ linger: 0 });
  socket.connect(address);
  await socket.send(encode({ v: VERSION, id: 1, cmd: command, args: {} }));
  const [frame] = await socket.receive();
  const reply = decode(frame);
  print("reply", { id: reply.id, ok: reply.ok, code: reply.code, tick: reply.tick, reason: reply.reason });
  socket.close();
}

async function main() {
  const socket = new zmq.Subscriber({ linger: 0 });
  socket.connect(option("state", "tcp://127.0.0.1:5570"));
  socket.subscribe("hello", "state");
  if (option("ask")) await ask(option("command"), option("ask"));
  let hello = null;
  let left = Number(option("count", "Infinity"));
  for await (const [frame] of socket) {
    const { topic, message } = read(frame);
    if (topic === "hello") {
      hello = message;
      print("hello", { hapticd: hello.hapticd, scene: hello.scene.name, columns: hello.blobs.body.columns });
    } else if (hello && message.scene === hello.scene.generation) {
      print("state", tellState(message, hello));
      if (--left <= 0) break;
    }
  }
  socket.close();
}

main().catch((error) => {
  console.error(error.message);
  process.exitCode = 1;
});
