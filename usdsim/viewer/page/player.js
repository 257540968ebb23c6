// Plays the recording that is packed into this page. Frames are in world: metres, Z up.

async function unpacked(id) {
  const text = document.getElementById(id).textContent;
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

function moduleUrl(text) {
  return URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
}

const decoder = new TextDecoder();
const threeUrl = moduleUrl(decoder.decode(await unpacked('three')));
const controlsText = decoder.decode(await unpacked('controls'));
const THREE = await import(threeUrl);
const { OrbitControls } = await import(moduleUrl(controlsText.replace("from 'three'", `from '${threeUrl}'`)));

const buffer = await unpacked('data');
const headLength = new DataView(buffer).getUint32(0, true);
const recording = JSON.parse(decoder.decode(new Uint8Array(buffer, 4, headLength)));
const TYPES = { float32: Float32Array, uint32: Uint32Array, int8: Int8Array };

function array(place) {
  const length = place.shape.reduce((a, b) => a * b, 1);
  return new TYPES[place.type](buffer, 4 + headLength + place.at, length);
}

// Shapes ---------------------------------------------------------------------------------------

function geometryOf(described) {
  const indexed = new THREE.BufferGeometry();
  indexed.setAttribute('position', new THREE.BufferAttribute(array(described.points), 3));
  indexed.setIndex(new THREE.BufferAttribute(array(described.faces), 1));
  if (!described.normals && !described.uvs && !described.flat) {
    indexed.computeVertexNormals();
    return indexed;
  }
  const made = indexed.toNonIndexed();
  if (described.normals) {
    made.setAttribute('normal', new THREE.BufferAttribute(array(described.normals), 3, true));
  } else {
    made.computeVertexNormals();
  }
  if (described.uvs) made.setAttribute('uv', new THREE.BufferAttribute(array(described.uvs), 2));
  return made;
}

const geometries = recording.geometries.map(geometryOf);
const scene = new THREE.Scene();
scene.background = new THREE.Color(0.87, 0.9, 0.94);
const images = new Map();

function textureOf(part) {
  const key = `${part.image} ${part.repeat}`;
  if (!images.has(key)) {
    const texture = new THREE.TextureLoader().load(
      `data:image/png;base64,${recording.images[part.image]}`, () => { stale = true; });
    texture.wrapS = texture.wrapT = THREE.RepeatWrapping;
    texture.repeat.set(...part.repeat);
    texture.colorSpace = THREE.SRGBColorSpace;
    texture.anisotropy = 8;
    images.set(key, texture);
  }
  return images.get(key);
}

function materialOf(rgba, both = false) {
  const color = new THREE.Color().setRGB(rgba[0], rgba[1], rgba[2], THREE.SRGBColorSpace);
  const side = both ? THREE.DoubleSide : THREE.FrontSide;
  const material = new THREE.MeshStandardMaterial({ color, side, roughness: 0.6 });
  fade(material, rgba[3]);
  return material;
}

function fade(material, opacity) {
  material.transparent = opacity < 1;
  material.opacity = opacity;
  material.depthWrite = opacity >= 1;
}

const bodyPoses = array(recording.bodies);
const frames = [];
for (let i = 0; i < recording.bodies.shape[0]; i += 1) {
  const frame = new THREE.Group();
  frame.position.fromArray(bodyPoses, 7 * i);
  frame.quaternion.fromArray(bodyPoses, 7 * i + 3);
  frames.push(frame);
  scene.add(frame);
}

function opacityOf(part, alpha) {
  return recording.faded && part.frame > 0 ? 0.35 * alpha : alpha;
}

const meshes = recording.parts.map((part) => {
  const rgba = [...part.rgba.slice(0, 3), opacityOf(part, part.rgba[3])];
  const material = materialOf(rgba, part.both);
  if (part.image !== undefined) material.map = textureOf(part);
  const mesh = new THREE.Mesh(geometries[part.geometry], material);
  mesh.name = part.path;
  mesh.castShadow = part.frame > 0;
  mesh.receiveShadow = true;
  mesh.position.fromArray(part.local, 0);
  mesh.quaternion.fromArray(part.local, 3);
  frames[part.frame].add(mesh);
  return mesh;
});

// What changes with each frame -------------------------------------------------------------------

const tracks = array(recording.tracks);
const [firstString, stringPlace] = recording.strings;
const strings = array(stringPlace);
const stringCount = stringPlace.shape[1];
const tube = new THREE.CylinderGeometry(1, 1, 2, 10).rotateX(Math.PI / 2);
for (let i = 0; i < stringCount; i += 1) meshes[firstString + i].geometry = tube;

const softBodies = recording.soft.map(({ part, points }) => {
  const geometry = new THREE.BufferGeometry();
  const count = points.shape[1];
  geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * count), 3));
  const faces = recording.geometries[recording.parts[part].geometry].faces;
  geometry.setIndex(new THREE.BufferAttribute(array(faces), 1));
  meshes[part].geometry = geometry;
  meshes[part].frustumCulled = false;
  return { geometry, values: array(points), width: 3 * count };
});

const marks = {
  first: array(recording.marks.first),
  kind: array(recording.marks.kind),
  numbers: array(recording.marks.numbers),
};
const SPHERE = 2, CAPSULE = 3, CYLINDER = 5;
const ball = new THREE.SphereGeometry(1, 16, 10);
const box = new THREE.BoxGeometry(2, 2, 2);
const markMeshes = [];

function showMarks(frame) {
  const start = marks.first[frame], end = marks.first[frame + 1];
  while (markMeshes.length < end - start) {
    const mesh = new THREE.Mesh(ball, materialOf([1, 1, 1, 1]));
    markMeshes.push(mesh);
    scene.add(mesh);
  }
  markMeshes.forEach((mesh, i) => {
    mesh.visible = i < end - start;
    if (!mesh.visible) return;
    const kind = marks.kind[start + i];
    const row = marks.numbers.subarray(14 * (start + i), 14 * (start + i) + 14);
    const long = kind === CAPSULE || kind === CYLINDER;
    mesh.geometry = long ? tube : kind === 6 ? box : ball;
    mesh.position.fromArray(row, 0);
    mesh.quaternion.fromArray(row, 3);
    const [x, y, z] = row.subarray(7, 10);
    mesh.scale.set(x, long || kind === SPHERE ? x : y, long ? y : kind === SPHERE ? x : z);
    mesh.material.color.setRGB(row[10], row[11], row[12], THREE.SRGBColorSpace);
    fade(mesh.material, row[13]);
  });
}

const looks = array(recording.looks.values);

function showLooks(frame) {
  recording.looks.parts.forEach((part, k) => {
    const row = looks.subarray(7 * (frame * recording.looks.parts.length + k));
    const mesh = meshes[part];
    mesh.material.color.setRGB(row[0], row[1], row[2], THREE.SRGBColorSpace);
    fade(mesh.material, opacityOf(recording.parts[part], row[3]));
    mesh.visible = row[3] > 0;
    mesh.scale.set(row[4], row[5], row[6]);
  });
}

const before = new THREE.Quaternion();
const after = new THREE.Quaternion();
const places = [new THREE.Vector3(), new THREE.Vector3()];

// Poses between two frames are interpolated; all else jumps.
function show(at) {
  const frame = Math.min(Math.floor(at), recording.frames - 1);
  const following = Math.min(frame + 1, recording.frames - 1);
  const share = at - frame;
  const width = 7 * recording.moving.length;
  recording.moving.forEach((body, k) => {
    const a = frame * width + 7 * k, b = following * width + 7 * k;
    frames[body].position.copy(places[0].fromArray(tracks, a)).lerp(places[1].fromArray(tracks, b), share);
    frames[body].quaternion.copy(before.fromArray(tracks, a + 3)).slerp(after.fromArray(tracks, b + 3), share);
  });
  showLooks(frame);
  for (let i = 0; i < stringCount; i += 1) {
    const mesh = meshes[firstString + i], row = 10 * (frame * stringCount + i);
    mesh.position.fromArray(strings, row);
    mesh.quaternion.fromArray(strings, row + 3);
    mesh.scale.set(strings[row + 7], strings[row + 7], strings[row + 8]);
    mesh.visible = strings[row + 7] > 0;
  }
  for (const { geometry, values, width: n } of softBodies) {
    geometry.attributes.position.array.set(values.subarray(frame * n, frame * n + n));
    geometry.attributes.position.needsUpdate = true;
    geometry.computeVertexNormals();
  }
  showMarks(frame);
}

// Light, camera and controls -----------------------------------------------------------------------

const middle = new THREE.Vector3(...recording.middle);
const eye = new THREE.Vector3(...recording.eye);
const distance = eye.distanceTo(middle);
scene.add(new THREE.HemisphereLight(0xffffff, 0x8a8f98, 1.6));
const sun = new THREE.DirectionalLight(0xffffff, 2.2);
const towardsSun = new THREE.Vector3(0.42, -0.3, 0.86).normalize();
sun.castShadow = true;
sun.shadow.mapSize.set(2048, 2048);
sun.shadow.bias = -0.0005;
Object.assign(sun.shadow.camera, {
  left: -distance, right: distance, top: distance, bottom: -distance, near: 0.01, far: 6 * distance });
scene.add(sun, sun.target);

const renderer = new THREE.WebGLRenderer({ antialias: true, preserveDrawingBuffer: true });
renderer.shadowMap.enabled = true;
document.body.prepend(renderer.domElement);
const camera = new THREE.PerspectiveCamera(recording.fovy, 1, distance / 100, distance * 60);
camera.up.set(0, 0, 1);
camera.position.copy(eye);
const controls = new OrbitControls(camera, renderer.domElement);
controls.target.copy(middle);
controls.update();

const element = (id) => document.getElementById(id);
const state = { at: 0, playing: false, speed: 1 };
let stale = true;
let last = performance.now();

function seek(at) {
  state.at = Math.max(0, Math.min(at, recording.frames - 1));
  stale = true;
}

function setPlaying(playing) {
  state.playing = playing;
  element('play').textContent = playing ? 'Pause' : 'Play';
}

function followed() {
  const body = recording.moving.find((i) => frames[i].children.length) ?? 0;
  return frames[body].position;
}

element('follow').checked = recording.follow;
element('scrub').max = recording.frames - 1;
element('play').addEventListener('click', () => setPlaying(!state.playing));
element('back').addEventListener('click', () => { setPlaying(false); seek(Math.ceil(state.at) - 1); });
element('next').addEventListener('click', () => { setPlaying(false); seek(Math.floor(state.at) + 1); });
element('scrub').addEventListener('input', (e) => { setPlaying(false); seek(Number(e.target.value)); });
element('speed').addEventListener('change', (e) => { state.speed = Number(e.target.value); });
controls.addEventListener('change', () => { stale = true; });
addEventListener('keydown', (e) => { if (e.key === ' ') { setPlaying(!state.playing); e.preventDefault(); } });

const picked = new THREE.Raycaster();
renderer.domElement.addEventListener('dblclick', (e) => {
  const at = new THREE.Vector2((2 * e.offsetX) / innerWidth - 1, 1 - (2 * e.offsetY) / innerHeight);
  picked.setFromCamera(at, camera);
  const hit = picked.intersectObjects(meshes)[0];
  element('about').textContent = hit ? hit.object.name : '';
});

function resize() {
  renderer.setPixelRatio(devicePixelRatio);
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
  stale = true;
}
addEventListener('resize', resize);
resize();

const previous = new THREE.Vector3();
let following = false;
function draw(now) {
  const passed = (now - last) / 1000;
  last = now;
  if (state.playing && recording.frames > 1) {
    const end = recording.frames - 1;
    seek((state.at + passed * state.speed * recording.fps) % end);
  }
  if (stale) {
    stale = false;
    show(state.at);
    const place = followed();
    if (element('follow').checked && following) {
      camera.position.add(place).sub(previous);
      controls.target.add(place).sub(previous);
      controls.update();
    }
    following = element('follow').checked;
    previous.copy(place);
    sun.target.position.copy(controls.target);
    sun.position.copy(controls.target).addScaledVector(towardsSun, 3 * distance);
    element('scrub').value = Math.round(state.at);
    element('time').textContent = `${(state.at / recording.fps).toFixed(3)} s`;
    renderer.render(scene, camera);
  }
  requestAnimationFrame(draw);
}
requestAnimationFrame(draw);
setPlaying(recording.frames > 1 && !location.hash.includes('paused'));
// What tests and embedding pages use.
window.usdsim = { recording, state, seek, setPlaying, frames, meshes, camera, controls, renderer };
