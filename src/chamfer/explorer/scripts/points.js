// Drawing many points: by WebGL, which has 200,000 in a few milliseconds, or pixel by pixel where there is none. Both take
//   view     { x, y, across, down }: the place in the middle, and pixels for each unit of places
//   colors   Uint32Array, the bytes red, green, blue, strength of each point
//   order    Uint32Array, points from the first drawn to the last
//   side     pixels

const VERTEX = `#version 300 es
in vec2 place; in vec4 color; uniform vec4 view; uniform float side; out vec4 shade;
void main() {
  gl_Position = vec4((place - view.xy) * view.zw, 0.0, 1.0);
  gl_PointSize = side;
  shade = vec4(color.rgb * color.a, color.a);
}`;
const FRAGMENT = `#version 300 es
precision highp float;
in vec4 shade; uniform float side; out vec4 pixel;
void main() {
  float cover = side < 3.0 ? 1.0 : clamp((0.5 - length(gl_PointCoord - 0.5)) * side + 0.5, 0.0, 1.0);
  if (cover <= 0.0) discard;
  pixel = shade * cover;
}`;

// Where the processor plays the graphics card, many points are drawn faster by setting pixels.
function isSlow(gl) {
  const known = gl.getExtension("WEBGL_debug_renderer_info");
  return n > 50000 && /swiftshader|llvmpipe|software/i.test(known ? gl.getParameter(known.UNMASKED_RENDERER_WEBGL) : "");
}

function graphicsRenderer(canvas, forced) {
  const gl = canvas.getContext("webgl2", { antialias: false, powerPreference: "low-power" });
  if (!gl || (!forced && isSlow(gl))) return null;
  const program = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  gl.useProgram(program);
  const buffer = (kind, values) => {
    const made = gl.createBuffer();
    gl.bindBuffer(kind, made);
    gl.bufferData(kind, values, gl.DYNAMIC_DRAW);
    return made;
  };
  const attribute = (key, width, type, normalized) => {
    const where = gl.getAttribLocation(program, key);
    gl.enableVertexAttribArray(where);
    gl.vertexAttribPointer(where, width, type, normalized, 0, 0);
  };
  buffer(gl.ARRAY_BUFFER, place);
  attribute("place", 2, gl.FLOAT, false);
  const shades = buffer(gl.ARRAY_BUFFER, new Uint32Array(n));
  attribute("color", 4, gl.UNSIGNED_BYTE, true);
  const sequence = buffer(gl.ELEMENT_ARRAY_BUFFER, new Uint32Array(n));
  const [viewAt, sideAt] = ["view", "side"].map((key) => gl.getUniformLocation(program, key));
  gl.enable(gl.BLEND);
  gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  let sent = null; // colours that the card has already
  return {
    name: "webgl",
    draw(view, colors, order, side) {
      if (gl.isContextLost()) return;
      if (sent !== colors) {
        gl.bindBuffer(gl.ARRAY_BUFFER, shades);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, colors);
        gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, sequence);
        gl.bufferSubData(gl.ELEMENT_ARRAY_BUFFER, 0, order);
        sent = colors;
      }
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0);
      gl.clear(gl.COLOR_BUFFER_BIT);
      gl.uniform4f(viewAt, view.x, view.y, (2 * view.across) / canvas.width, (2 * view.down) / canvas.height);
      gl.uniform1f(sideAt, side);
      gl.drawElements(gl.POINTS, n, gl.UNSIGNED_INT, 0);
    },
  };
}

// Pixels are set one by one: for tens of thousands of points that is many times faster than asking for as many squares.
function plainRenderer(canvas) {
  const context = canvas.getContext("2d");
  return {
    name: "canvas",
    draw(view, colors, order, side) {
      const image = context.createImageData(canvas.width, canvas.height);
      const pixels = new Uint32Array(image.data.buffer);
      const wide = Math.max(1, Math.round(side));
      for (const p of order) {
        const left = Math.round(canvas.width / 2 + (place[2 * p] - view.x) * view.across - wide / 2);
        const top = Math.round(canvas.height / 2 - (place[2 * p + 1] - view.y) * view.down - wide / 2);
        const [first, last] = [Math.max(0, left), Math.min(canvas.width, left + wide)];
        if (first >= last) continue;
        for (let row = Math.max(0, top); row < Math.min(canvas.height, top + wide); row++) {
          pixels.fill(colors[p], row * canvas.width + first, row * canvas.width + last);
        }
      }
      context.putImageData(image, 0, 0);
    },
  };
}

// A canvas that was once asked for one kind of context cannot give the other: a failed one is replaced.
function makeRenderer() {
  const wanted = new URLSearchParams(location.search).get("renderer");
  const made = wanted !== "canvas" && graphicsRenderer($("map"), wanted === "webgl");
  if (made) return made;
  const fresh = $("map").cloneNode(false);
  $("map").replaceWith(fresh);
  return plainRenderer(fresh);
}
