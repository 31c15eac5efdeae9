<?php
// Keeps a copy of the articles in a file: ERP_URL=... ERP_USER=... ERP_PASSWORD=... php sync.php articles.json
// The first run reads all articles, each later one only what has changed since. Run it every night or every minute.

$file = $argv[1];

/** The status and the JSON of a response. */
function ask(string $method, string $path, string $authorization): array
{
    $http = ['method' => $method, 'header' => "Authorization: $authorization", 'ignore_errors' => true, 'timeout' => 600];
    $body = file_get_contents(getenv('ERP_URL') . $path, false, stream_context_create(['http' => $http]));
    return [(int) explode(' ', $http_response_header[0])[1], json_decode($body, true)];
}

function changesSince(string $stand): array
{
    $login = base64_encode(getenv('ERP_USER') . ':' . getenv('ERP_PASSWORD'));
    [, $token] = ask('POST', '/www/token', "Basic $login");
    $query = http_build_query(['seit' => $stand, 'limit' => 0]);
    return ask('GET', "/www/artikel?$query", "Bearer {$token['access_token']}");
}

$copy = file_exists($file) ? json_decode(file_get_contents($file), true) : ['stand' => '', 'articles' => []];
[$status, $changes] = changesSince($copy['stand']);
if ($status === 410) {
    // The mark is too old, or everything has changed.
    $copy['articles'] = [];
    [$status, $changes] = changesSince('');
}
if ($status !== 200) {
    exit("{$changes['error']}: {$changes['error_description']}\n");
}
foreach ($changes['data'] as $article) {
    $copy['articles'][$article['ArtNr']] = $article;
}
foreach ($changes['entfernt'] as $number) {
    unset($copy['articles'][$number]);
}
$copy['stand'] = $changes['stand'];
// A run that is interrupted leaves the old file, and the next one reads the same changes again.
file_put_contents("$file.new", json_encode($copy));
rename("$file.new", $file);
printf("%d changed, %d gone, %d in the copy\n", count($changes['data']), count($changes['entfernt']), count($copy['articles']));
