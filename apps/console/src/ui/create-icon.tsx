import type { ReactNode, SVGProps } from 'react'

export type IconProps = SVGProps<SVGSVGElement> & {
  /** Width and height in px; defaults to 24. */
  size?: number
}

/** A drawing of one line weight in the colour of the text around it. Readers of the page skip it unless it has a label. */
export type IconComponent = (props: IconProps) => ReactNode

/** Makes an icon of the shapes of a drawing of 24 by 24. */
export function createIcon(shapes: ReactNode): IconComponent {
  return ({ size = 24, ...props }) => (
    // biome-ignore lint/a11y/noSvgWithoutTitle: drawings stand beside their text, or get a label from who uses them.
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden={props['aria-label'] === undefined ? 'true' : undefined}
      {...props}
    >
      {shapes}
    </svg>
  )
}
