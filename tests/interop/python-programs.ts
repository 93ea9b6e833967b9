import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { interopFolder } from './binaries.ts'

/** A program or package of the Python package index. */
export type PythonProgram = {
  name: string
  version: string
  /** A program that it installs, which proves the installation. Defaults to its name. */
  binary?: string
}

/** Generates Python clients from OpenAPI documents. */
export const openapiPythonClient: PythonProgram = { name: 'openapi-python-client', version: '0.29.1' }

/** The Python S3 client. It has no program, but one of its dependencies does. */
export const boto3: PythonProgram = { name: 'boto3', version: '1.44.8', binary: 'jp.py' }

/** The AWS command line. */
export const awsCli: PythonProgram = { name: 'awscli', version: '1.46.3', binary: 'aws' }

/** The published Python client of Lighthouse. It has no program, but one of its dependencies does. */
export const lighthousePython: PythonProgram = { name: 'lighthouseweb3', version: '0.1.6', binary: 'normalizer' }

export const s3cmd: PythonProgram = { name: 's3cmd', version: '2.4.0' }

/** Creates requests from OpenAPI documents and checks the responses. */
export const schemathesis: PythonProgram = { name: 'schemathesis', version: '4.32.5' }

/** Everything that `npm run interop:install` installs. */
export const pythonPrograms: readonly PythonProgram[] = [
  openapiPythonClient,
  boto3,
  awsCli,
  lighthousePython,
  s3cmd,
  schemathesis,
]

/** The virtual environment that `npm run interop:install` creates for it. */
export function pythonProgramFolder({ name, version }: PythonProgram): string {
  return join(interopFolder, `${name}-${version}`)
}

/** Path of a program in its environment. */
export function pythonBinary(program: PythonProgram, name: string): string {
  return join(pythonProgramFolder(program), 'bin', name)
}

export function isPythonProgramInstalled(program: PythonProgram): boolean {
  return existsSync(pythonBinary(program, program.binary ?? program.name))
}
