/** Who is calling, as far as the credential tells. */
export type Principal = {
  readonly userId: string;
  readonly displayName: string;
  readonly scopes: ReadonlySet<string>;
  readonly credential: { readonly kind: "api_key" | "jwt"; readonly expiresAt: Date | null };
};
