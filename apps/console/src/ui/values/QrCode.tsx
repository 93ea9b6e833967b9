import { encode } from 'uqr'

/** A QR code: dark on white in every theme, with the quiet zone of four modules that scanners expect (ISO/IEC 18004). */
export function QrCode({ text, label, isSmall }: { text: string; label: string; isSmall: boolean }) {
  const { data, size } = encode(text, { ecc: 'L', border: 4 })
  const path = data.map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join('')).join('')
  return (
    <svg
      role="img"
      aria-label={label}
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className={`rounded-lg ${isSmall ? 'size-48' : 'size-64'}`}
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
