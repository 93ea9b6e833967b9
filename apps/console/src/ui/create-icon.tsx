import type { ReactNode, SVGProps } from 'react'

export type IconProps = SVGProps<SVGSVGElement> & {
  /** Width and height in px at the usual font size of 16 px, with which it grows; defaults to 24. */
  size?: number
}

/** An icon with one line weight in the colour of the surrounding text. Screen readers skip it unless it has a label. */
export type IconComponent = (props: IconProps) => ReactNode

/** Creates an icon from the shapes of a 24 by 24 drawing. */
export function createIcon(shapes: ReactNode): IconComponent {
  return ({ size = 24, ...props }) => (
    // biome-ignore lint/a11y/noSvgWithoutTitle: icons are next to their text, or callers set a label.
    <svg
      xmlns="http://www.w3.org/2000/svg"
      width={`${size / 16}rem`}
      height={`${size / 16}rem`}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth={2}
      strokeLinecap="round"
      strokeLinejoin="round"
      {...(props['aria-label'] === undefined ? { 'aria-hidden': true } : { role: 'img' })}
      {...props}
    >
      {shapes}
    </svg>
  )
}
