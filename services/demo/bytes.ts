// Small real files, made here: a picture, a PDF, a sound, an archive.
import { crc32, deflateSync } from "node:zlib";

const encoder = new TextEncoder();

function concat(parts: readonly (string | Uint8Array)[]): Uint8Array {
  const bytes = parts.map((part) => typeof part === "string" ? encoder.encode(part) : part);
  const all = new Uint8Array(bytes.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of bytes) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** Numbers of the given widths in bytes, in one byte order. */
function numbers(
  littleEndian: boolean,
  ...fields: readonly [width: 1 | 2 | 4, value: number][]
): Uint8Array {
  const bytes = new Uint8Array(fields.reduce((sum, [width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [width, value] of fields) {
    if (width === 1) view.setUint8(at, value);
    else if (width === 2) view.setUint16(at, value, littleEndian);
    else view.setUint32(at, value, littleEndian);
    at += width;
  }
  return bytes;
}

/** A picture of a colour that fades downwards. https://www.w3.org/TR/png-3/ */
export function png(
  size: number,
  [red, green, blue]: readonly [number, number, number],
): Uint8Array {
  const rows = new Uint8Array(size * (1 + size * 3));
  for (let y = 0; y < size; y++) {
    const fade = 1 - y / size / 2;
    for (let x = 0; x < size; x++) {
      rows.set([red * fade, green * fade, blue * fade], y * (1 + size * 3) + 1 + x * 3);
    }
  }
  const chunk = (type: string, data: Uint8Array) => {
    const body = concat([type, data]);
    return concat([numbers(false, [4, data.length]), body, numbers(false, [4, crc32(body)])]);
  };
  const header = numbers(false, [4, size], [4, size], [1, 8], [1, 2], [1, 0], [1, 0], [1, 0]);
  return concat([
    Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", new Uint8Array()),
  ]);
}

/** One page with these lines, ASCII without parentheses. ISO 32000-1, annex H.2. */
export function pdf(lines: readonly string[]): Uint8Array {
  const drawn = lines.map((line) => `(${line}) Tj 0 -18 Td`).join("\n");
  const stream = `BT /F1 14 Tf 72 720 Td\n${drawn}\nET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entries = offsets.map((offset) => `${String(offset).padStart(10, "0")} 00000 n \n`).join(
    "",
  );
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  const trailer = `trailer\n<< /Size ${
    objects.length + 1
  } /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return encoder.encode(text + table + trailer);
}

const SAMPLES_A_SECOND = 8000;

/** A tone that fades away: RIFF WAVE, 8 bits, mono. */
export function wav(hertz: number, seconds: number): Uint8Array {
  const length = Math.floor(seconds * SAMPLES_A_SECOND);
  const samples = Uint8Array.from(
    { length },
    (_, i) => 128 + 90 * (1 - i / length) * Math.sin(2 * Math.PI * hertz * i / SAMPLES_A_SECOND),
  );
  const format = numbers(
    true,
    [4, 16],
    [2, 1],
    [2, 1],
    [4, SAMPLES_A_SECOND],
    [4, SAMPLES_A_SECOND],
    [2, 1],
    [2, 8],
  );
  return concat([
    "RIFF",
    numbers(true, [4, 36 + length]),
    "WAVEfmt ",
    format,
    "data",
    numbers(true, [4, length]),
    samples,
  ]);
}

/** 1 January 1980, the first date that the format knows. */
const ZIP_DATE = 0x21;

/** An archive of one text, stored as it is. https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT */
export function zip(name: string, text: string): Uint8Array {
  const data = encoder.encode(text);
  const common = numbers(
    true,
    [2, 20],
    [2, 0],
    [2, 0],
    [2, 0],
    [2, ZIP_DATE],
    [4, crc32(data)],
    [4, data.length],
    [4, data.length],
    [2, name.length],
    [2, 0],
  );
  const local = concat(["PK\x03\x04", common, name, data]);
  const rest = numbers(true, [2, 0], [2, 0], [2, 0], [4, 0], [4, 0]);
  const central = concat(["PK\x01\x02", numbers(true, [2, 20]), common, rest, name]);
  const end = numbers(
    true,
    [2, 0],
    [2, 0],
    [2, 1],
    [2, 1],
    [4, central.length],
    [4, local.length],
    [2, 0],
  );
  return concat([local, central, "PK\x05\x06", end]);
}
