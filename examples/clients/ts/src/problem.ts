// Answers that are errors.

const PREFIX = 'urn:portolan:problem:';

/** A problem document (RFC 9457). Decide by `kind`, and show `detail`. */
export class Problem extends Error {
  override readonly name = 'Problem';
  /** The last part of the problem's type, like `invalid-address`; the reference of problems has all. */
  readonly kind: string;

  constructor(
    readonly status: number,
    type: string,
    readonly detail: string,
    /** The id of the request, for the operator's log. */
    readonly requestId: string | null,
    /** Seconds to wait before the next try, if the gateway said so. */
    readonly retryAfterSeconds: number | null,
  ) {
    super(`${status}: ${detail}`);
    this.kind = type.startsWith(PREFIX) ? type.slice(PREFIX.length) : type;
  }

  /**
   * Reads the problem of a response that is not 2xx. What is not a problem document, like the page of a proxy, has the
   * kind `about:blank`.
   */
  static async of(response: Response): Promise<Problem> {
    const text = await response.text();
    const wait = /^\d+$/.exec(response.headers.get('retry-after') ?? '');
    const retryAfter = wait ? Number(wait[0]) : null;
    const document = parsed(text);
    const member = (name: string, otherwise: string) => (typeof document[name] === 'string' ? document[name] : otherwise);
    const detail = member('detail', text.slice(0, 200) || response.statusText);
    const id = member('requestId', response.headers.get('x-request-id') ?? '');
    return new Problem(response.status, member('type', 'about:blank'), detail, id === '' ? null : id, retryAfter);
  }
}

function parsed(text: string): Record<string, unknown> {
  try {
    const document: unknown = JSON.parse(text);
    return typeof document === 'object' && document !== null ? { ...document } : {};
  } catch {
    return {};
  }
}
