// Reads the columns that experiments/pages/packing.py wrote: deflated, byte by byte, some as differences.

const ARRAYS = { i1: Int8Array, i2: Int16Array, i4: Int32Array, f4: Float32Array, f8: Float64Array };

export async function inflate(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function unpack(columns, packed) {
  const bytes = await inflate(packed);
  const found = {};
  let first = 0;
  for (const [name, type, length, steps] of columns) {
    const kind = ARRAYS[type];
    const size = kind.BYTES_PER_ELEMENT;
    const whole = new Uint8Array(length * size);
    for (let plane = 0; plane < size; plane += 1) {
      const from = first + plane * length;
      for (let place = 0; place < length; place += 1) whole[place * size + plane] = bytes[from + place];
    }
    first += length * size;
    const numbers = new kind(whole.buffer);
    found[name] = steps ? summed(numbers) : numbers;
  }
  return found;
}

export function summed(steps) {
  const sums = new Float64Array(steps.length);
  let sum = 0;
  for (let place = 0; place < steps.length; place += 1) {
    sum += steps[place];
    sums[place] = sum;
  }
  return sums;
}
