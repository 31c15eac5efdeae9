//! AES-128 by tables (FIPS 197), for processors without instructions for it.
//!
//! The crate `aes` works on several blocks at once there, which chained blocks cannot make use of: it takes
//! about ten times as long. Tables tell the key to whoever can measure times; here the key comes from
//! the file itself and an empty password, so that everybody knows it.

/// The state and the round keys: columns of four bytes.
type Columns = [u32; 4];

const ROUNDS: usize = 10;

/// AES-128 with one key.
pub(super) struct Aes128 {
    substitution: [u8; 256],
    /// Substitution and mixing of a column for its first byte; the others are turned.
    mixing: [u32; 256],
    first: Columns,
    between: [Columns; ROUNDS - 1],
    last: Columns,
}

impl Aes128 {
    /// The cipher without a key.
    pub(super) fn new() -> Self {
        let substitution = substitution();
        let mixing = substitution.map(|byte| {
            let double = times_two(byte);
            u32::from_be_bytes([double, byte, byte, double ^ byte])
        });
        Self {
            substitution,
            mixing,
            first: [0; 4],
            between: [[0; 4]; ROUNDS - 1],
            last: [0; 4],
        }
    }

    /// Makes the round keys (5.2).
    pub(super) fn set_key(&mut self, key: &[u8; 16]) {
        let mut columns = columns(key);
        self.first = columns;
        let mut constant = 1;
        for round in 0..ROUNDS {
            let [c0, c1, c2, c3] = columns;
            let turned = c3
                .rotate_left(8)
                .to_be_bytes()
                .map(|byte| self.substituted(byte));
            let c0 = c0 ^ u32::from_be_bytes(turned) ^ u32::from_be_bytes([constant, 0, 0, 0]);
            let (c1, c2) = (c1 ^ c0, c2 ^ c1 ^ c0);
            columns = [c0, c1, c2, c3 ^ c2];
            constant = times_two(constant);
            match self.between.get_mut(round) {
                Some(place) => *place = columns,
                None => self.last = columns,
            }
        }
    }

    /// Encrypts one block (5.1).
    pub(super) fn encrypt(&self, block: [u8; 16]) -> [u8; 16] {
        let mut state = added(columns(&block), self.first);
        for key in &self.between {
            let [a, b, c, d] = state;
            let mixed = [
                self.mixed(a, b, c, d),
                self.mixed(b, c, d, a),
                self.mixed(c, d, a, b),
                self.mixed(d, a, b, c),
            ];
            state = added(mixed, *key);
        }
        let [a, b, c, d] = state;
        let plain = [
            self.shifted(a, b, c, d),
            self.shifted(b, c, d, a),
            self.shifted(c, d, a, b),
            self.shifted(d, a, b, c),
        ];
        let [a, b, c, d] = added(plain, self.last);
        ((u128::from(a) << 96) | (u128::from(b) << 64) | (u128::from(c) << 32) | u128::from(d))
            .to_be_bytes()
    }

    #[inline(always)]
    fn mixed(&self, a: u32, b: u32, c: u32, d: u32) -> u32 {
        let [a, ..] = a.to_be_bytes();
        let [_, b, ..] = b.to_be_bytes();
        let [.., c, _] = c.to_be_bytes();
        let [.., d] = d.to_be_bytes();
        self.column(a)
            ^ self.column(b).rotate_right(8)
            ^ self.column(c).rotate_right(16)
            ^ self.column(d).rotate_right(24)
    }

    #[inline(always)]
    fn column(&self, byte: u8) -> u32 {
        self.mixing.get(usize::from(byte)).copied().unwrap_or(0)
    }

    fn shifted(&self, a: u32, b: u32, c: u32, d: u32) -> u32 {
        let [[a, ..], [_, b, ..], [.., c, _], [.., d]] = [a, b, c, d].map(u32::to_be_bytes);
        u32::from_be_bytes([a, b, c, d].map(|byte| self.substituted(byte)))
    }

    fn substituted(&self, byte: u8) -> u8 {
        self.substitution
            .get(usize::from(byte))
            .copied()
            .unwrap_or(0)
    }
}

#[inline(always)]
fn added([a, b, c, d]: Columns, [e, f, g, h]: Columns) -> Columns {
    [a ^ e, b ^ f, c ^ g, d ^ h]
}

fn columns(block: &[u8; 16]) -> Columns {
    let (parts, _) = block.as_chunks::<4>();
    let mut parts = parts.iter().map(|part| u32::from_be_bytes(*part));
    std::array::from_fn(|_| parts.next().unwrap_or(0))
}

/// Multiplication by two in the field of AES (4.2.1).
const fn times_two(byte: u8) -> u8 {
    (byte << 1) ^ ((byte >> 7) * 0x1B)
}

/// The substitution (5.1.1): `power` goes through all powers of three, `inverse` through those of its inverse.
fn substitution() -> [u8; 256] {
    let mut table = [0x63; 256];
    let (mut power, mut inverse) = (1_u8, 1_u8);
    for _ in 0..255 {
        let turned = (0..5).fold(0, |sum, turn| sum ^ inverse.rotate_left(turn));
        if let Some(place) = table.get_mut(usize::from(power)) {
            *place = turned ^ 0x63;
        }
        power ^= times_two(power);
        inverse ^= inverse << 1;
        inverse ^= inverse << 2;
        inverse ^= inverse << 4;
        inverse ^= (inverse >> 7) * 0x09;
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_standard_holds() {
        // FIPS 197, appendix B.
        let key = 0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128.to_be_bytes();
        let block = 0x3243_f6a8_885a_308d_3131_98a2_e037_0734_u128.to_be_bytes();
        let mut aes = Aes128::new();
        aes.set_key(&key);
        let expected = 0x3925_841d_02dc_09fb_dc11_8597_196a_0b32_u128;
        assert_eq!(aes.encrypt(block), expected.to_be_bytes());
    }

    #[test]
    fn a_chain_of_keys_and_blocks_gives_what_the_crate_gives() {
        use aes::cipher::{Array, BlockCipherEncrypt as _, KeyInit as _};
        let mut own = Aes128::new();
        let (mut key, mut block) = ([0; 16], [0; 16]);
        for _ in 0..500 {
            own.set_key(&key);
            let mut expected = Array::from(block);
            aes::Aes128::new(&Array::from(key)).encrypt_block(&mut expected);
            let found = own.encrypt(block);
            assert_eq!(found, <[u8; 16]>::from(expected));
            key = block;
            block = found;
        }
    }
}
