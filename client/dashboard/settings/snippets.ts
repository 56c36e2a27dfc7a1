/** The call that a backend makes after a sign-up. */
export interface Backend {
  name: string;
  text: string;
}

/** The tag for the pages that promoters link to. */
export function scriptTag(server: string, accountId: string): string {
  return `<script async src="${server}/svc.js" data-cid="${accountId}"></script>`;
}

/** The call in several languages, with the server's real address. */
export function backends(server: string): Backend[] {
  const url = `${server}/api/v1/track/signup`;
  return [
    {
      name: "curl",
      text: `curl ${url} \\
  -H "x-api-key: YOUR_KEY" \\
  -d email=jane@example.com \\
  -d uid=your-own-user-id \\
  -d tid=value-of-the-cookie-_svc_tid`,
    },
    {
      name: "Node",
      text: `await fetch("${url}", {
  method: "POST",
  headers: { "x-api-key": apiKey },
  body: new URLSearchParams({ email, uid, tid: cookies._svc_tid ?? "" }),
  signal: AbortSignal.timeout(5000),
});`,
    },
    {
      name: "PHP",
      text: `$request = curl_init("${url}");
curl_setopt_array($request, [
  CURLOPT_HTTPHEADER => ["x-api-key: " . getenv("TIDEMARK_API_KEY")],
  CURLOPT_POSTFIELDS => http_build_query([
    "email" => $email, "uid" => $uid, "tid" => $_COOKIE["_svc_tid"] ?? "",
  ]),
  CURLOPT_RETURNTRANSFER => true,
  CURLOPT_TIMEOUT => 5,
]);
curl_exec($request);`,
    },
    {
      name: "Python",
      text: `requests.post(
    "${url}",
    headers={"x-api-key": os.environ["TIDEMARK_API_KEY"]},
    data={"email": email, "uid": uid, "tid": request.cookies.get("_svc_tid", "")},
    timeout=5,
)`,
    },
    {
      name: "Ruby",
      text: `Net::HTTP.post(
  URI("${url}"),
  URI.encode_www_form(email: email, uid: uid, tid: cookies[:_svc_tid]),
  "x-api-key" => ENV.fetch("TIDEMARK_API_KEY"),
)`,
    },
  ];
}
