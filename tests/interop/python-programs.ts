import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { interopFolder } from './binaries.ts'

/** A program of the Python package index. */
export type PythonProgram = { name: string; version: string }

/** Generates Python clients from OpenAPI documents. */
export const openapiPythonClient: PythonProgram = { name: 'openapi-python-client', version: '0.29.1' }

/** The virtual environment that `npm run interop:install` creates for it. */
export function pythonProgramFolder({ name, version }: PythonProgram): string {
  return join(interopFolder, `${name}-${version}`)
}

/** Path of a program in its environment. */
export function pythonBinary(program: PythonProgram, name: string): string {
  return join(pythonProgramFolder(program), 'bin', name)
}

export function isPythonProgramInstalled(program: PythonProgram): boolean {
  return existsSync(pythonBinary(program, program.name))
}
