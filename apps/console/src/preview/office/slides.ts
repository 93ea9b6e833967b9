import { type Block, maxBlocks } from './document.ts'

/** Puts the slides of a presentation one below the other. One without a title is named by its number. */
export async function joinSlides<Slide>(
  slides: readonly Slide[],
  titleOf: (slide: number) => string,
  read: (slide: Slide) => Promise<Block[] | undefined>,
): Promise<Block[]> {
  const blocks: Block[] = []
  for (const [at, slide] of slides.entries()) {
    if (blocks.length >= maxBlocks) break
    const found = await read(slide)
    if (found === undefined) continue
    if (blocks.length > 0) blocks.push({ kind: 'break' })
    if (found.every(({ kind }) => kind !== 'heading'))
      blocks.push({ kind: 'heading', level: 1, runs: [{ text: titleOf(at + 1) }] })
    blocks.push(...found)
  }
  return blocks
}
