// How checks find their way on a page: by roles, names, and the exact values that numbers carry.
import assert from 'node:assert/strict';
import { eventually } from './check.mjs';

/** @typedef {import('playwright-core').Page} Page */
/** @typedef {import('playwright-core').Locator} Locator */

/**
 * The part of the page with a heading.
 * @param {Page} page
 * @param {string} name
 */
export const region = (page, name) => page.getByRole('region', { name, exact: true });

/**
 * The exact values of the numbers in a part of the page, as they are in answers.
 * @param {Locator} part
 * @returns {Promise<string[]>}
 */
export const values = (part) => part.locator('data').evaluateAll((numbers) => numbers.map((number) => /** @type {HTMLDataElement} */ (number).value));

const DECIMAL = /^(-?)(\d+)(?:\.(\d+))?(?:E([+-]?\d+))?$/i;

/**
 * A decimal without an exponent and without zeros at its end: the same number has the same text.
 * @param {string} decimal
 */
export function normal(decimal) {
  const [, sign, units, fraction = '', exponent = '0'] = DECIMAL.exec(decimal) ?? assert.fail(`not a decimal: ${decimal}`);
  const places = Math.max(0, fraction.length - Number(exponent));
  const digits = (units + fraction + '0'.repeat(Math.max(0, Number(exponent) - fraction.length))).padStart(places + 1, '0');
  const [whole, rest] = [digits.slice(0, digits.length - places), digits.slice(digits.length - places).replace(/0+$/, '')];
  const shown = whole.replace(/^0+(?=\d)/, '') + (rest === '' ? '' : `.${rest}`);
  return shown === '0' ? '0' : sign + shown;
}

/**
 * Waits until a part of the page shows all of these numbers, each as often as it is here, once its lists are open.
 * @param {Locator} part
 * @param {string[]} expected
 */
export function shows(part, expected) {
  const more = part.getByRole('button', { name: /^Show [\d,]+ more$/ });
  return eventually(async () => {
    while ((await more.count()) > 0) await more.first().click();
    const left = (await values(part)).map(normal);
    const missing = expected.map(normal).filter((number) => {
      const at = left.indexOf(number);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    assert.deepEqual(missing, [], 'numbers that are not shown');
  });
}

/**
 * Fails unless a sum of rounded dollars is the rounded sum, but for its last digits.
 * @param {string} actual
 * @param {string} expected
 */
export function assertDollars(actual, expected) {
  const difference = Math.abs(Number(actual) - Number(expected));
  assert.ok(difference <= Math.abs(Number(expected)) * 1e-12, `${actual} instead of ${expected}`);
}
