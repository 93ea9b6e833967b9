import { spawnSync } from 'node:child_process'

/** The version of the AWS CLI on this machine; undefined without one. */
export function awsVersion(): string | undefined {
  const { status, stdout } = spawnSync('aws', ['--version'], { encoding: 'utf8' })
  return status === 0 ? /^aws-cli\/(\S+)/.exec(stdout)?.[1] : undefined
}
