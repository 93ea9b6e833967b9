/**
 * Lets a program finish its work, and exit with its own code, when nothing reads its output any more, as after `| head -1`. Without
 * it, the next line ends the process with a stack trace, in the middle of a change.
 */
export function continueWithoutReader(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error
    })
  }
}
