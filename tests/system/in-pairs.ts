/** Works on two items at a time, because there are two cores. */
export async function inPairs<T>(list: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const items = list.values()
  const lane = async () => {
    for (const item of items) await work(item)
  }
  await Promise.all([lane(), lane()])
}
