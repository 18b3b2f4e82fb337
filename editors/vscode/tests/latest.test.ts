import assert from "node:assert/strict";
import { test } from "node:test";

import { Latest } from "../src/latest";

/** A promise that is settled by the test. */
function pending<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (error: Error) => void } {
  let resolve!: (value: T) => void;
  let reject!: (error: Error) => void;
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue;
    reject = onError;
  });
  return { promise, resolve, reject };
}

test("the answer of an earlier question is dropped", async () => {
  const latest = new Latest();
  const slow = pending<string>();
  let isCancelled = false;
  const first = latest.run((signal) => {
    signal.addEventListener("abort", () => (isCancelled = true));
    return slow.promise;
  });
  const second = latest.run(async () => "second");
  assert.equal(isCancelled, true);
  slow.resolve("first");
  assert.equal(await first, undefined);
  assert.equal(await second, "second");
});

test("the error of an earlier question is dropped, and that of the last is thrown", async () => {
  const latest = new Latest();
  const slow = pending<string>();
  const first = latest.run(() => slow.promise);
  const second = latest.run(() => Promise.reject(new Error("second")));
  slow.reject(new Error("first"));
  assert.equal(await first, undefined);
  await assert.rejects(second, /second/);
});

test("a cancelled question has no answer", async () => {
  const latest = new Latest();
  const slow = pending<string>();
  const only = latest.run(() => slow.promise);
  latest.cancel();
  slow.resolve("late");
  assert.equal(await only, undefined);
});
