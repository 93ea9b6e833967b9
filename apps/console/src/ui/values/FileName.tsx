import { markControls } from '../../messages/mark-controls.ts'

/** An untrusted name: it changes neither its own text direction nor that of the text around it. */
export function FileName({ name }: { name: string }) {
  return <bdi>{markControls(name)}</bdi>
}
