import type { Call } from "./types";

export interface Tariff {
  tonnageFrom: number;
  centsPerGt: number;
}

/** Port dues in cents: the highest step of the tariff that the vessel reaches, times its tonnage. */
export function portDues(grossTonnage: number, tariffs: Tariff[]): number {
  const steps = [...tariffs].sort((a, b) => b.tonnageFrom - a.tonnageFrom);
  const step = steps.find((tariff) => tariff.tonnageFrom <= grossTonnage);
  if (!step) {
    throw new RangeError(`no tariff for ${grossTonnage} GT`);
  }
  return Math.round(step.centsPerGt * grossTonnage);
}

/** Hours beyond the agreed stay cost half as much again. */
export function overstaySurcharge(call: Call, agreedMinutes: number, hourly: number): number {
  const extra = Math.max(0, call.until - call.from - agreedMinutes);
  return Math.ceil(extra / 60) * hourly * 1.5;
}
