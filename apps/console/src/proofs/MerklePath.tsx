import { messages } from '../messages/messages.ts'
import { drawMerklePath } from './merkle-picture.ts'

const radius = 6

/** The path from a piece to the root of its aggregate: its own hashes filled, those of the proof hollow. */
export function MerklePath({ path }: { path: { index: number; path: readonly string[] } }) {
  const { width, height, own, siblings } = drawMerklePath(path)
  return (
    <figure className="flex flex-col items-center gap-3 justify-self-center">
      <p className="font-medium text-sm">{messages.proofs.pathAggregate}</p>
      <svg
        width={width}
        height={height}
        viewBox={`0 0 ${width} ${height}`}
        className="h-auto max-w-full"
        role="img"
        aria-label={messages.proofs.pathLabel(siblings.length)}
      >
        {siblings.map((sibling, level) => {
          const node = own[level]
          const parent = own[level + 1]
          if (node === undefined || parent === undefined) return undefined
          return (
            <g key={`${sibling.x}-${sibling.y}`} fill="none">
              <path d={`M${sibling.x},${sibling.y}L${parent.x},${parent.y}`} stroke="var(--line-strong)" />
              <path d={`M${node.x},${node.y}L${parent.x},${parent.y}`} stroke="var(--accent)" strokeWidth="2" />
              <rect
                x={sibling.x - radius + 0.5}
                y={sibling.y - radius + 0.5}
                width={radius * 2 - 1}
                height={radius * 2 - 1}
                rx="2"
                fill="var(--surface)"
                stroke="var(--line-strong)"
              >
                <title>{path.path[level]}</title>
              </rect>
            </g>
          )
        })}
        {own.map(({ x, y }) => (
          <circle key={`${x}-${y}`} cx={x} cy={y} r={radius} fill="var(--accent)" />
        ))}
      </svg>
      <p className="font-medium text-sm">{messages.proofs.pathPiece}</p>
      <figcaption className="flex flex-col gap-1 text-ink-soft text-xs">
        <span className="flex items-center gap-2">
          <svg width="12" height="12" aria-hidden="true">
            <circle cx="6" cy="6" r="5" fill="var(--accent)" />
          </svg>
          {messages.proofs.pathOwn}
        </span>
        <span className="flex items-center gap-2">
          <svg width="12" height="12" aria-hidden="true">
            <rect x="1.5" y="1.5" width="9" height="9" rx="2" fill="none" stroke="var(--line-strong)" />
          </svg>
          {messages.proofs.pathSibling}
        </span>
      </figcaption>
    </figure>
  )
}
