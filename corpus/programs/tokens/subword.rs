//! Learns a subword vocabulary: counts pairs over shards in threads.
use std::collections::HashMap;
use std::fs;
use std::io::{self, BufRead};
use std::thread;

const TEXT: &str = "the cat sat on the mat and the dog sat on the log";

fn log(level: &str, text: &str) {
    println!("[2025-03-11T08:00:07Z {:5} subword] {}", level, text);
}

fn pairs(text: &str) -> HashMap<(char, char), usize> {
    let mut counts = HashMap::new();
    for word in text.split(' ') {
        let letters: Vec<char> = word.chars().collect();
        for pair in letters.windows(2) {
            *counts.entry((pair[0], pair[1])).or_insert(0) += 1;
        }
    }
    counts
}

fn learn(rounds: usize) -> Vec<String> {
    let counts = pairs(TEXT);
    let mut best: Vec<_> = counts.into_iter().collect();
    best.sort_by_key(|&(pair, n)| (std::cmp::Reverse(n), pair));
    let mut merges = Vec::new();
    for (step, ((a, b), n)) in best.into_iter().take(rounds).enumerate() {
        log("INFO", &format!("merge {:2}: {}+{} seen {}", step, a, b, n));
        merges.push(format!("{}{}", a, b));
    }
    merges
}

fn rank_of(merges: &[String], piece: &str) -> Option<usize> {
    merges.iter().position(|m| m == piece)
}

fn apply() {
    let merges = learn(6);
    let handles: Vec<_> = ["th", "zz"]
        .iter()
        .enumerate()
        .map(|(i, piece)| {
            let merges = merges.clone();
            thread::Builder::new()
                .name(format!("shard-{}", i))
                .spawn(move || rank_of(&merges, piece).unwrap())
                .unwrap()
        })
        .collect();
    for handle in handles {
        let rank = handle.join().unwrap();
        log("INFO", &format!("first piece has rank {}", rank));
    }
}

fn fallback() {
    learn(4);
    if !TEXT.contains('\u{e9}') {
        log("WARN", "no byte pieces in the vocabulary");
        unimplemented!("byte fallback for vocabularies without byte pieces");
    }
}

fn buckets(count: &str) {
    learn(3);
    let count: usize = count.parse().expect("number of buckets");
    let lengths = [12, 40, 133, 7];
    for length in lengths {
        log("INFO", &format!("length {} -> {}", length, length / count));
    }
}

fn shard() {
    let merges = learn(5);
    let ids = [0, 4, 2, 5];
    let text: Vec<&str> = ids.iter().map(|&i| merges[i].as_str()).collect();
    log("INFO", &text.join(" "));
}

fn lines() {
    fs::write("wiki.txt", b"plain\ncaf\xe9\n").expect("write wiki.txt");
    learn(3);
    log("INFO", "reading wiki.txt");
    let file = fs::File::open("wiki.txt").expect("open wiki.txt");
    for line in io::BufReader::new(file).lines() {
        let line = line.unwrap();
        log("INFO", &format!("{} pairs", pairs(&line).len()));
    }
}

fn table() {
    learn(3);
    let words: usize = TEXT.len() << 32;
    log("INFO", "allocating the pair table at once");
    let table = vec![1u8; words];
    log("INFO", &format!("{}", table[17]));
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    log("INFO", &format!("subword {}", args[1]));
    match args[1].as_str() {
        "apply" => apply(),
        "fallback" => fallback(),
        "buckets" => buckets(&args[2]),
        "shard" => shard(),
        "lines" => lines(),
        _ => table(),
    }
    log("INFO", "vocabulary written");
}
