/** Undo and redo of edits that the planner has not confirmed yet. */
export class UndoStack<T> {
  private past: T[] = [];
  private future: T[] = [];

  constructor(private readonly limit = 100) {}

  push(state: T): void {
    this.past.push(state);
    if (this.past.length > this.limit) {
      this.past.shift();
    }
    this.future = [];
  }

  undo(current: T): T | undefined {
    const state = this.past.pop();
    if (state !== undefined) {
      this.future.push(current);
    }
    return state;
  }

  redo(current: T): T | undefined {
    const state = this.future.pop();
    if (state !== undefined) {
      this.past.push(current);
    }
    return state;
  }
}
