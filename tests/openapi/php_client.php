<?php
// The main job of a shop, with the client that openapi-generator generates for PHP; the argument is its folder.

require '/usr/share/php/GuzzleHttp/autoload.php';

use OpenAPI\Client\Api\AdministrationApi;
use OpenAPI\Client\Api\ArtikelApi;
use OpenAPI\Client\Api\AuftragApi;
use OpenAPI\Client\Api\KundenApi;
use OpenAPI\Client\Api\TokenApi;
use OpenAPI\Client\Api\ZugferdApi;
use OpenAPI\Client\ApiException;
use OpenAPI\Client\Configuration;
use OpenAPI\Client\Model\AddressBody;
use OpenAPI\Client\Model\CustomerAddressesBody;
use OpenAPI\Client\Model\CustomerBody;
use OpenAPI\Client\Model\CustomerBodyHeader;
use OpenAPI\Client\Model\OrderBody;
use OpenAPI\Client\Model\OrderBodyHeader;
use OpenAPI\Client\Model\PositionBody;
use OpenAPI\Client\Model\ZugferdBody;

spl_autoload_register(function (string $class) use ($argv): void {
    $prefix = 'OpenAPI\\Client\\';
    if (str_starts_with($class, $prefix)) {
        require $argv[1] . '/' . strtr(substr($class, strlen($prefix)), '\\', '/') . '.php';
    }
});

function check(bool $holds, string $what): void
{
    if (!$holds) {
        throw new RuntimeException($what);
    }
}

/** A separate configuration for each user, because the library stores the host in it. */
function configuration(): Configuration
{
    return (new Configuration())->setHost(getenv('ERP_URL'));
}

function login(string $user, string $password): Configuration
{
    $open = configuration()->setUsername($user)->setPassword($password);
    $token = (new TokenApi(null, $open))->createToken();
    check($token->getExpiresIn() === 3600, 'the lifetime of a token');
    return configuration()->setAccessToken($token->getAccessToken());
}

function refused(int $status, callable $call): string
{
    try {
        $call();
    } catch (ApiException $error) {
        check($error->getCode() === $status, "{$error->getCode()} instead of $status");
        return (string) $error->getResponseBody();
    }
    throw new RuntimeException("not refused with $status");
}

$shop = login('shop1', getenv('ERP_SHOP_PASSWORD'));
$articles = new ArtikelApi(null, $shop);
check(count($articles->listArticles(null, '10007', null, 2, 2)->getData()) === 2, 'a page of articles');
$article = $articles->readArticle('LM-3001')->getData();
check($article->getVerpackungen()[0]->getPreis()[0]->getPreisList() === 18.9, 'the price');

$address = new AddressBody([
    'adr_sprache' => 'ger', 'adr_anrede' => 2, 'adr_vorname' => 'Zoë', 'adr_name' => 'Müller-Größ',
    'adr_adresse1' => 'Bärengasse 5', 'ort_land' => 'CH', 'ort_plz' => '8001', 'ort_name' => 'Zürich',
]);
$customers = new KundenApi(null, $shop);
$customer = $customers->createCustomer(new CustomerBody([
    'grund_daten' => new CustomerBodyHeader(['waehr_abk' => 'CHF', 'fakt_zahl_art' => 'B']),
    'adressen' => new CustomerAddressesBody(['kontakt_adr' => $address]),
]))->getData()->getDebiNr();
check($customers->readCustomer($customer)->getData()->getWaehrAbk() === 'CHF', 'the customer');

$orders = new AuftragApi(null, $shop);
$body = new OrderBody([
    'grund_daten' => new OrderBodyHeader(['kund_nr' => $customer, 'auft_lief_kost' => 9.9]),
    'positionen' => [
        new PositionBody(['art_nr' => 'BU-1002', 'menge' => 12]),
        new PositionBody(['art_nr' => 'BU-1001', 'menge' => 10, 'vp_einheit' => 'KARTON', 'g_rab_satz' => 5]),
        new PositionBody(['art_nr' => 'LM-3001', 'menge' => 4, 'pos_bez' => 'Kaffee für die Küche']),
    ],
]);
$first = $orders->createOrder($body, "php-$customer")->getData()->getAuftNr();
check($orders->createOrder($body, "php-$customer")->getData()->getAuftNr() === $first, 'one key, one order');
check($orders->readOrder($first)->getData()->getGrundDaten()->getAuftBrutto() === 215.35, 'the total');
$wrong = new OrderBody([
    'grund_daten' => new OrderBodyHeader(['kund_nr' => '10007']),
    'positionen' => [new PositionBody(['art_nr' => 'NO-SUCH', 'menge' => -1])],
]);
check(str_contains(refused(422, fn () => $orders->createOrder($wrong)), 'Positionen[0].Menge'), 'the problem');

$invoices = new ZugferdApi(null, $shop);
$hybrid = base64_encode(file_get_contents(getenv('ERP_FIXTURES') . '/hybrid-facturx-en16931.pdf'));
$xml = $invoices->processInvoice(new ZugferdBody(['operation' => 'Extract', 'pdf' => $hybrid]));
check(str_contains($xml->fread(1 << 20), 'CrossIndustryInvoice'), 'the invoice');

refused(403, fn () => (new AdministrationApi(null, $shop))->deleteLog());
(new TokenApi(null, $shop))->revokeToken();
refused(401, fn () => $articles->readArticle('LM-3001'));
echo "the PHP client did the main job\n";
