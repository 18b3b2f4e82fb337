/** Runs one task at a time: a later one cancels the earlier one. */

export class Latest {
  private controller: AbortController | undefined;

  /**
   * Runs a task. Returns its result, or `undefined` if a later task started or `cancel` was called
   * before it ended. An error of such a task is dropped too.
   */
  async run<T>(task: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    this.cancel();
    const controller = new AbortController();
    this.controller = controller;
    try {
      const result = await task(controller.signal);
      return controller.signal.aborted ? undefined : result;
    } catch (error) {
      if (controller.signal.aborted) {
        return undefined;
      }
      throw error;
    }
  }

  cancel(): void {
    this.controller?.abort();
    this.controller = undefined;
  }
}
