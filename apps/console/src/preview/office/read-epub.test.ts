import { expect, test } from 'vitest'
import { toHtml } from './read-epub.ts'

test('renames style attributes and elements', () => {
  expect(toHtml('<p style = "color:red">a<style>p{}</style></p>')).toBe(
    '<p data-style= "color:red">a<omitted-style>p{}</omitted-style></p>',
  )
})

test.each([
  ['tags that do not end', '<a'],
  ['letters in one that does not end', 'a'],
])('reads a chapter of a million %s once, not once for each', (_what, part) => {
  const chapter = `<${part.repeat(1_000_000)}`
  expect(toHtml(chapter)).toBe(chapter)
})

test('closes elements that HTML would leave open, so that they do not swallow the text after them', () => {
  expect(toHtml('<title/><a id="one" /><SCRIPT src="a.js"/><br/><img src="a.png"/><p>text</p>')).toBe(
    '<title></title><a id="one" ></a><SCRIPT src="a.js"></SCRIPT><br/><img src="a.png"/><p>text</p>',
  )
})
